package gen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/audit"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/spec"
)

// assemble compiles, bundles and audits what was decided.
func (g *embedded) assemble(ctx context.Context, rep Reporter, d *decision, e effort) (compile.Files, error) {
	if d.game != nil {
		return g.assembleAuthored(ctx, rep, d, e)
	}
	s := d.spec
	assets, err := makeAssets(ctx, rep, s, d.stock)
	if err != nil {
		return nil, err
	}
	d.assets = assets
	rep.Progress(api.StageWriting, 20, "Writing the sources.")
	done := call(rep, "compile", map[string]any{"mechanic": s.Mechanic, "theme": s.Theme, "renderer": s.Renderer})
	files, err := compile.Compile(s, assets)
	if err != nil {
		return nil, fmt.Errorf("writing the sources: %w", err)
	}
	done(true, fmt.Sprintf("%d source files", len(files)))
	if name := compile.Framework(s.Renderer); name != "" {
		library, err := g.frameworks.get(name)
		if err != nil {
			return nil, err
		}
		library.addTo(files)
	}
	return files, finish(ctx, rep, limits(s), files, nil)
}

// assembleAuthored changes the data of a game whose sources are the truth, bundles
// and audits it.
func (g *embedded) assembleAuthored(ctx context.Context, rep Reporter, d *decision, e effort) (compile.Files, error) {
	rep.Progress(api.StageWriting, 20, "Changing the game's data.")
	files, err := d.game.with(d.spec)
	if err != nil {
		return nil, fmt.Errorf("changing the game's data: %w", err)
	}
	err = g.compiles(ctx, files, e)
	if err == nil {
		err = finish(ctx, rep, limits(d.spec), files, maps.Clone(files))
	}
	var against *auditError
	if errors.As(err, &against) {
		err = g.excuse(ctx, rep, d.game, e, auditing, rulesOf(against), err)
	}
	var broken *build.Error
	if errors.As(err, &broken) || errors.As(err, &against) { // its own fault, not the generator's
		return nil, &unplayableError{why: clipped(err.Error())}
	}
	return files, err
}

// finish audits, mends and bundles sources; those that are as in written stay as
// someone wrote them. Its error is a *build.Error or an *auditError when the sources
// are at fault.
func finish(ctx context.Context, rep Reporter, most audit.Limits, files, written compile.Files) error {
	rep.Progress(api.StageAuditing, 46, "Checking the files.")
	for _, fix := range fixNew(files, written) {
		rep.Event(api.EventFixApplied, map[string]any{"strategy": "auto", "change": fix.Message, "because": fix.Rule})
	}
	rep.Progress(api.StageBuilding, 50, "Building the game.")
	if err := bundle(ctx, rep, files); err != nil {
		return err
	}
	rep.Progress(api.StageAuditing, 62, "Checking the files.")
	findings := audit.Check(files, most)
	blocking := audit.Blocking(findings)
	rep.Event(api.EventAuditResult, map[string]any{"ok": len(blocking) == 0, "findings": nonNil(findings)})
	if len(blocking) > 0 {
		return &auditError{findings: blocking}
	}
	return nil
}

// fixNew makes the audit's fixes in those files that are not as in written.
func fixNew(files, written compile.Files) []audit.Finding {
	before := maps.Clone(files)
	fixed := audit.Fix(files)
	return slices.DeleteFunc(fixed, func(f audit.Finding) bool {
		text, there := written[f.File]
		if there = there && bytes.Equal(text, before[f.File]); there {
			files[f.File] = before[f.File]
		}
		return there
	})
}

// bundle adds the script that the page loads.
func bundle(ctx context.Context, rep Reporter, files compile.Files) error {
	done := call(rep, "build", map[string]any{"entry": compile.Entry})
	start := time.Now()
	out, err := build.Bundle(ctx, build.Options{Read: files.Read, Entry: compile.Entry, Target: build.Game})
	var broken *build.Error
	switch {
	case errors.As(err, &broken):
		done(false, broken.Error())
		rep.Event(api.EventBuildResult, map[string]any{"ok": false, "durationMs": time.Since(start).Milliseconds(), "bytes": 0, "problems": nonNil(broken.Problems)})
		return err
	case err != nil:
		return err
	}
	files[compile.Script] = out.Script
	done(true, fmt.Sprintf("%s, %d bytes", compile.Script, len(out.Script)))
	rep.Built(files)
	rep.Event(api.EventBuildResult, map[string]any{"ok": true, "durationMs": out.Took.Milliseconds(), "bytes": len(out.Script), "problems": nonNil(out.Problems)})
	return nil
}

// limits are what the audit holds a game against.
func limits(s spec.Spec) audit.Limits {
	if s.Format == spec.Short {
		return audit.Limits{Bytes: audit.MaxBytes}
	}
	return audit.Limits{Bytes: audit.MaxLong}
}
