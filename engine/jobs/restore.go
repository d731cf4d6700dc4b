package jobs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/revs"
	"github.com/svc-games/svc/engine/swap"
)

// undoOf returns how a job takes the project back to an earlier revision: nil if it
// does not, is only to be planned, or has the brief of a project without a game.
func (m *Manager) undoOf(j *job) *gen.Undo {
	req, err := j.request()
	undo, asked := gen.ReadUndo(req.Prompt)
	if err != nil || !asked {
		return nil
	}
	settings, err := m.space.Settings(req.Settings)
	if err != nil || settings.ChatMode == api.ChatPlan {
		return nil
	}
	if files, err := m.projectFiles(); err != nil || len(files) == 0 {
		return nil
	}
	return &undo
}

// carryOut does what a request asks for: it takes the project back to an earlier revision,
// and has the generator do the rest.
func (m *Manager) carryOut(ctx context.Context, j *job, rep *reporter, req gen.Request) outcome {
	if j.undo == nil {
		return m.call(ctx, j, rep, req)
	}
	undo := *j.undo
	former, err := m.here()
	if err != nil {
		m.cfg.Log.Warn("revision not kept", zap.String("job", j.id), zap.Error(err))
		return outcome{result: unchanged(rep, req.Prompt, "there is no room to keep the game as it is now")}
	}
	result, err := m.undo(ctx, j, rep, undo, req.Prompt)
	if err != nil || undo.Rest == "" {
		return outcome{result, err}
	}
	req.Prompt = undo.Rest
	out := m.call(ctx, j, rep, req)
	if out.err != nil {
		if result.Changed && m.unreturned == nil { // a job that fails changes nothing
			out.err = errors.Join(out.err, m.putBack(j, rep, former))
		}
		return out
	}
	out.result.Summary = result.Summary + " " + out.result.Summary
	out.result.Unmet = append(result.Unmet, out.result.Unmet...)
	out.result.Changed = out.result.Changed || result.Changed
	return out
}

// putBack makes the files the project's that it had before a job that failed. What the
// job has proven is of the revision that it went back to, and may join no other: it stays
// in the history as a draft.
func (m *Manager) putBack(j *job, rep *reporter, former revs.Revision) error {
	m.reviseDraft(j)
	if _, err := gen.SettleDraft(m.space.Root(), m.change, j.id, false); err != nil {
		return err
	}
	return m.restore(j, rep, former, "put back after a job that failed", m.change) // also what was locked meanwhile
}

// here returns the revision that the project is at, of which it makes one if need be:
// what is there now can be returned to.
func (m *Manager) here() (revs.Revision, error) {
	files, err := m.projectFiles()
	if err == nil {
		err = m.commit(revs.Revision{Kind: revs.Import, Message: foundMessage, Time: m.now()}, files)
	}
	head, _ := m.history.Head()
	return head, err
}

// undo takes the project back, or once more forward.
func (m *Manager) undo(ctx context.Context, j *job, rep *reporter, asked gen.Undo, words string) (gen.Result, error) {
	rep.Progress(api.StageWriting, 20, "Looking for the earlier revision.")
	target, steps := m.history.Undo(asked.Steps)
	nothing, summary := "there is no earlier revision to go back to", "Went back to revision %d: %s"
	if asked.Redo {
		var there bool
		if target, there = m.history.Redo(); there {
			steps = 1
		}
		nothing, summary = "nothing was undone", "Did again what was undone, with revision %d: %s"
	}
	if steps == 0 {
		return unchanged(rep, words, nothing), nil
	}
	if ctx.Err() != nil {
		return gen.Result{}, ctx.Err()
	}
	result := gen.Result{Free: true, Changed: true, Summary: fmt.Sprintf(summary, target.ID, target.Message)}
	err := m.restore(j, rep, target, result.Summary, m.changeUnlocked)
	if errors.Is(err, revs.ErrDamaged) {
		m.cfg.Log.Error("revision unreadable", zap.String("job", j.id), zap.Int("revision", target.ID), zap.Error(err))
		return unchanged(rep, words, "the earlier revision can't be read"), nil
	}
	if err != nil {
		return gen.Result{}, err
	}
	if asked.Steps > steps && asked.Steps < math.MaxInt {
		result.Unmet = []string{fmt.Sprintf("%s: there were no more than %d changes", wordsOf(words), steps)}
	}
	rep.Event(api.EventAssistantMessage, map[string]any{"text": result.Summary})
	return result, nil
}

// maxWords bounds what is repeated of a request, in bytes.
const maxWords = 80

// unchanged is the result of a request that can't be met.
func unchanged(rep *reporter, words, why string) gen.Result {
	summary := "Nothing was changed: " + why + "."
	rep.Event(api.EventAssistantMessage, map[string]any{"text": summary})
	return gen.Result{Free: true, Summary: summary, Unmet: []string{wordsOf(words) + ": " + why}}
}

// wordsOf is what is repeated of a request.
func wordsOf(request string) string { return clip(gen.Masked(request), maxWords) }

// restore makes the files of a revision the project's, which is a revision of its own.
// They were proven when that one was made. change makes the changes.
func (m *Manager) restore(j *job, rep *reporter, target revs.Revision, message string, change func([]swap.Change, int64) error) error {
	files, err := m.history.Files(target.ID)
	if err != nil {
		return err
	}
	changes, err := gen.Restore(m.space.Root(), files)
	if err != nil {
		return err
	}
	var game int64
	for name, data := range files {
		if strings.HasPrefix(name, gen.Deliverable+"/") {
			game += int64(len(data))
		}
	}
	ops := map[string]string{}
	for _, c := range changes {
		switch _, err := m.space.Root().Lstat(c.Name); {
		case c.Delete:
			ops[c.Name] = "delete"
		case err == nil:
			ops[c.Name] = "update"
		default:
			ops[c.Name] = "create"
		}
	}
	if err := change(changes, game); err != nil {
		return err
	}
	for _, c := range changes {
		rep.Event(api.EventFileChanged, map[string]any{"path": c.Name, "op": ops[c.Name], "bytes": len(c.Data)})
	}
	m.revise(revs.Revision{Kind: revs.Restore, Of: target.ID, Job: j.id, Author: j.author, Message: clip(message, maxRevisionMessage)}, m.projectFiles)
	return nil
}

// restored makes r a restore when its job was to take the project back, and was killed
// when it had.
func (m *Manager) restored(j *job, r revs.Revision) revs.Revision {
	req, err := j.request()
	if err != nil {
		return r
	}
	files, err := m.projectFiles()
	if _, asked := gen.ReadUndo(req.Prompt); !asked || err != nil {
		return r
	}
	if of, there := m.history.Like(files); there {
		r.Kind, r.Of = revs.Restore, of.ID
	}
	return r
}
