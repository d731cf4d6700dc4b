package activation_test

import (
	"context"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/wait"
)

// fewRows is rulesOfAuthz with a table of which few rows differ.
func fewRows(ctx context.Context, from, to fs.FS) (int, bool, error) {
	rows, whole, err := rulesOfAuthz(ctx, from, to)
	return rows / 100, whole, err
}

// TestASourceWaitsWhileASidecarThatLivesDoesNotSayWhatItDecided: that one may be where all users
// are. Who is gone has no log that could be asked, whether it left or was killed.
func TestASourceWaitsWhileASidecarThatLivesDoesNotSayWhatItDecided(t *testing.T) {
	for name, tc := range map[string]struct {
		killed  bool // the other sidecar reports no more
		comment bool // no rule changes
		own     int  // decisions in the log here
		waits   bool
	}{
		"a rule, a quiet log":                  {waits: true},
		"a rule, decisions here as before":     {own: 3, waits: true},
		"a comment":                            {comment: true},
		"a rule, and the other one was killed": {killed: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				m.mute = []string{"b"}
				dir := t.TempDir()
				write(t, dir, files(t))
				o := recording(t, activation.Options{Source: dir})
				o.TryTablesAs(fewRows)
				a := join(t, m, "a", o)
				if tc.killed {
					if _, err := m.Report(t.Context(), "b", a.Revision()); err != nil {
						t.Fatal(err)
					}
				} else {
					join(t, m, "b", activation.Options{})
				}
				reporting()
				for range tc.own {
					if _, err := a.Decide(t.Context(), verify.Poll()); err != nil {
						t.Fatal(err)
					}
				}
				wait.Until(t, "they are recorded", func() bool { return lines(t, o) == tc.own })
				before, next := a.Revision(), allowingAll(t)
				if tc.comment {
					next = edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: A key\n")
				}
				write(t, dir, next)
				time.Sleep(30 * time.Second)
				synctest.Wait()
				s := a.Status()
				switch {
				case tc.waits && (s.Waiting == nil || a.Revision() != before || s.Waiting.Held.Silent != 1 || s.Waiting.Held.Rows != 50 || s.Waiting.Held.Changed != 0):
					t.Errorf("status %+v, waiting %+v", s, s.Waiting)
				case !tc.waits && (s.Waiting != nil || a.Revision() == before):
					t.Errorf("status %+v, held %+v", s, s.Waiting)
				case tc.killed && s.Active.Changes.Silent > 0:
					t.Errorf("changes %+v", s.Active.Changes)
				}
			})
		})
	}
}

// TestAStartBringsNoRuleThatASidecarThatLivesDoesNotCompare: a pod comes with another directory,
// beside one of a former version. One that was killed, as its own of before, keeps it from nothing.
func TestAStartBringsNoRuleThatASidecarThatLivesDoesNotCompare(t *testing.T) {
	for name, killed := range map[string]bool{"the other one lives": false, "it was killed": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				m.mute = []string{"old"}
				was, dir := t.TempDir(), t.TempDir()
				write(t, was, files(t))
				write(t, dir, allowingAll(t))
				old := open(t, activation.Options{Source: was})
				stop, err := old.Share(t.Context(), m, "old")
				if err != nil {
					t.Fatal(err)
				}
				reporting()
				if killed {
					left := m.sidecars["old"]
					if err := stop(); err != nil {
						t.Fatal(err)
					}
					m.sidecars["old"] = left
				} else {
					t.Cleanup(func() {
						if err := stop(); err != nil {
							t.Error(err)
						}
					})
				}
				o := recording(t, activation.Options{Source: dir, Poll: time.Hour}) // a look would wait for the start
				o.TryTablesAs(fewRows)
				began := time.Now()
				pod := join(t, m, "new", o)
				if s := pod.Status(); (s.Waiting == nil) != killed || (pod.Revision() == old.Revision()) == killed || time.Since(began) > 25*time.Second {
					t.Errorf("after %s: status %+v, waiting %+v", time.Since(began), s, s.Waiting)
				}
			})
		})
	}
}
