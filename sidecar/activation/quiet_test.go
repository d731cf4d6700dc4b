package activation_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/wait"
)

// allowingAll returns the shipped policy with a rule that allows whatever a live key asks.
func allowingAll(t *testing.T) bundle.Snapshot {
	return edit(t, files(t), "svc/authz/authz.rego", "\n# METADATA\n# title: Refusal", "\nallow if key.active\n\n# METADATA\n# title: Refusal")
}

// TestADirectoryThatAllowsAllWaitsOnAQuietService has no log, one that is empty, and one
// with a line that can't be read: none of them shows what the directory changes.
func TestADirectoryThatAllowsAllWaitsOnAQuietService(t *testing.T) {
	for name, o := range map[string]activation.Options{
		"no log": {}, "a quiet hour": recording(t, activation.Options{}), "a torn line": recording(t, activation.Options{Threshold: 2}),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, files(t))
			o.Source, o.Poll = dir, 5*time.Millisecond
			o.TryTablesAs(rulesOfAuthz)
			f := open(t, o)
			if s := f.Status(); s.Waiting != nil || s.Active.Source != dir {
				t.Fatalf("a first start waits: %+v", s)
			}
			if name == "a torn line" {
				for range 10 {
					if _, err := f.Decide(t.Context(), verify.Poll()); err != nil {
						t.Fatal(err)
					}
				}
				wait.Until(t, "the decisions are recorded", func() bool { return lines(t, o) == 10 })
				log, err := os.OpenFile(o.Log.Path(), os.O_APPEND|os.O_WRONLY, 0o600)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := log.WriteString("{\"input\": null}\n"); err != nil || log.Close() != nil {
					t.Fatal(err)
				}
			}
			write(t, dir, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: A key\n"))
			shipped := f.Revision()
			wait.Until(t, "a comment goes live", func() bool { return f.Revision() != shipped })
			write(t, dir, allowingAll(t))
			wait.Until(t, "the directory waits", func() bool { return f.Status().Waiting != nil })
			held := f.Status().Waiting.Held
			if f.mayRead(t) || held.Changed != 0 || held.Rows <= 10*activation.DefaultThreshold || held.Untried || !strings.Contains(held.String(), "decisions of the table") {
				t.Errorf("held: %+v, %s", held, held)
			}
		})
	}
}

// rulesOfAuthz stands in for the tables of two policies: it takes no time.
func rulesOfAuthz(_ context.Context, from, to fs.FS) (int, bool, error) {
	const name = "svc/authz/authz.rego"
	one, err := fs.ReadFile(from, name)
	other, otherErr := fs.ReadFile(to, name)
	if bytes.Equal(one, other) {
		return 0, true, errors.Join(err, otherErr)
	}
	return 5000, true, nil
}

func TestATableThatIsTooLongHasTheDirectoryWait(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, files(t))
	o := activation.Options{Source: dir, Poll: 5 * time.Millisecond}
	o.TryTablesAs(func(context.Context, fs.FS, fs.FS) (int, bool, error) { return 0, false, nil })
	f := open(t, o)
	// Who uploads a policy was shown what it changes.
	if info, err := f.activate(t, readers(t)); err != nil || info.Held != nil {
		t.Fatalf("an upload: %+v, %v", info, err)
	}
	write(t, dir, allowingAll(t))
	wait.Until(t, "the directory waits", func() bool { return f.Status().Waiting != nil })
	if held := f.Status().Waiting.Held; !held.Untried {
		t.Errorf("held: %+v", held)
	}
}

// TestADirectoryThatHidesTheDecisionLogWaits: no decision changes by it.
func TestADirectoryThatHidesTheDecisionLogWaits(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, files(t))
	o := activation.Options{Source: dir, Poll: 5 * time.Millisecond}
	o.TryTablesAs(rulesOfAuthz)
	f := open(t, o)
	s := files(t)
	s["system/log/mask.rego"] = []byte("package system.log\n\nmask contains \"/input\"\n")
	write(t, dir, s)
	wait.Until(t, "the directory waits", func() bool { return f.Status().Waiting != nil })
	if held := f.Status().Waiting.Held; !held.Mask || held.Rows != 0 || !strings.Contains(held.String(), "decision log") {
		t.Errorf("held: %+v", held)
	}
	// Who uploads a policy was shown it.
	if info, err := f.activate(t, s); err != nil || info.Held != nil {
		t.Fatalf("an upload: %+v, %v", info, err)
	}
}

// TestADirectoryThatAllowsAllWaitsOnABusyServiceToo: users ask about their own alone, and no
// decision of the last hour changes.
func TestADirectoryThatAllowsAllWaitsOnABusyServiceToo(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, files(t))
	o := recording(t, activation.Options{Source: dir, Poll: 5 * time.Millisecond, Threshold: 2})
	o.TryTablesAs(rulesOfAuthz)
	f := open(t, o)
	shipped := f.Revision()
	for range 10 {
		if _, err := f.Decide(t.Context(), verify.Poll()); err != nil {
			t.Fatal(err)
		}
	}
	wait.Until(t, "the decisions are recorded", func() bool { return lines(t, o) == 10 })
	write(t, dir, allowingAll(t))
	wait.Until(t, "the directory waits, or is active", func() bool { return f.Status().Waiting != nil || f.Revision() != shipped })
	if s := f.Status(); f.mayRead(t) || s.Waiting == nil || s.Waiting.Held.Changed != 0 || s.Waiting.Held.Decisions != 10 || s.Waiting.Held.Rows != 5000 {
		t.Errorf("status %+v, held %+v", s, s.Waiting)
	}
}
