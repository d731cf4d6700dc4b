package activation_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/sidecar/activation"
)

// former has a data directory be that of a program whose own policy was another.
func former(t *testing.T, data string) {
	t.Helper()
	path := filepath.Join(data, activation.KeptDir, "state.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, changed(t, text, "sourceDigest", "of the program before"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// changed returns a JSON object with another value of a member.
func changed(t *testing.T, text []byte, name string, value any) []byte {
	t.Helper()
	var members map[string]any
	err := json.Unmarshal(text, &members)
	if err == nil {
		members[name] = value
		text, err = json.Marshal(members)
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWhatAPersonActivatedOutlivesAProgramWithAnotherPolicy: the new program's own waits for
// somebody to look at it, and for a second person where one must.
func TestWhatAPersonActivatedOutlivesAProgramWithAnotherPolicy(t *testing.T) {
	private, public := keyPair(t)
	approver, publicOfApprover := keyPair(t)
	for name, o := range map[string]activation.Options{
		"alone": {}, "with approvers": {KeyFile: public, Approvers: publicOfApprover},
	} {
		t.Run(name, func(t *testing.T) {
			o.DataDir = t.TempDir()
			f := open(t, o)
			shipped, uploaded := f.Revision(), readers(t)
			sign := func(waiting activation.Info, active string) []byte {
				if o.Approvers == "" {
					return nil
				}
				return approval(t, waiting, active, approver)
			}
			if o.Approvers != "" {
				uploaded = signed(t, uploaded, private)
			}
			info, err := f.activate(t, uploaded)
			if err == nil && info.Held != nil {
				_, err = f.Approve(t.Context(), activation.Approval{Actor: "uid:8", Revision: info.Revision, Signature: sign(info, shipped)})
			}
			if err == nil {
				err = f.Close()
			}
			if err != nil {
				t.Fatal(err)
			}
			former(t, o.DataDir)
			for _, when := range []string{"the new program", "after another start"} {
				f = open(t, o)
				s := f.Status()
				if !f.mayRead(t) || s.Waiting == nil || s.Shadow == nil || s.Degraded || s.Wanted != shipped {
					t.Fatalf("%s: %+v", when, s)
				}
				if h := s.Waiting.Held; !h.Chosen || h.Approval != (o.Approvers != "") || s.Waiting.Source != activation.Embedded {
					t.Errorf("%s: what waits is %+v, %s", when, s.Waiting, h)
				}
				if when == "the new program" {
					if err := f.Close(); err != nil {
						t.Fatal(err)
					}
				}
			}
			waiting := *f.Status().Waiting
			if _, err := f.Approve(t.Context(), activation.Approval{Actor: "uid:8", Revision: shipped}); o.Approvers != "" && !errors.Is(err, activation.ErrApproval) {
				t.Errorf("without a signature: %v", err)
			}
			if o.Approvers != "" {
				if _, err := f.Approve(t.Context(), activation.Approval{Actor: "uid:8", Revision: shipped, Signature: sign(waiting, info.Revision)}); err != nil {
					t.Error(err)
				}
			}
			if f.Revision() != shipped || f.Status().Waiting != nil {
				t.Errorf("after the approval: %+v", f.Status())
			}
		})
	}
}

// TestThePolicyOfANewProgramFollowsThatOfTheOneBefore: nobody chose another one.
func TestThePolicyOfANewProgramFollowsThatOfTheOneBefore(t *testing.T) {
	o := activation.Options{DataDir: t.TempDir()}
	f := open(t, o)
	if _, err := f.activate(t, readers(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Rollback(t.Context(), "uid:7", "", nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	former(t, o.DataDir)
	if s := open(t, o).Status(); s.Waiting != nil || s.Active.ActivatedBy != activation.ByService || s.Active.Source != activation.Embedded {
		t.Errorf("status %+v", s)
	}
}

// TestNoStartTakesTheProgramsOwnForWhatAPersonActivated: that one can't be used any more.
func TestNoStartTakesTheProgramsOwnForWhatAPersonActivated(t *testing.T) {
	_, public := keyPair(t)
	o := activation.Options{DataDir: t.TempDir()}
	f := open(t, o)
	if _, err := f.activate(t, readers(t)); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	o.KeyFile = public
	if _, err := tryOpen(t, o); !errors.Is(err, bundle.ErrUnsigned) {
		t.Errorf("with a key: %v", err)
	}
	former(t, o.DataDir)
	if _, err := tryOpen(t, o); !errors.Is(err, bundle.ErrUnsigned) {
		t.Errorf("with another program, too: %v", err)
	}
	o.KeyFile = ""
	if f := open(t, o); !f.mayRead(t) {
		t.Errorf("without the key again: %+v", f.Status())
	}
}

// TestWhatIsLostHereIsTakenFromTheOthers: a disk was full, and the store has what a person
// activated.
func TestWhatIsLostHereIsTakenFromTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, o := newMemory(), activation.Options{DataDir: t.TempDir(), Shared: true}
		a, b := join(t, m, "a", activation.Options{}), open(t, o)
		stop, err := b.Share(t.Context(), m, "b")
		if err != nil {
			t.Fatal(err)
		}
		info, err := a.activate(t, readers(t))
		if err != nil {
			t.Fatal(err)
		}
		second()
		if err := errors.Join(stop(), b.Close(), os.Remove(filepath.Join(o.DataDir, activation.KeptDir, "2.tar.gz"))); err != nil {
			t.Fatal(err)
		}
		if _, err := tryOpen(t, activation.Options{DataDir: o.DataDir}); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("a start without a store: %v", err)
		}
		b = join(t, m, "b", o)
		second()
		same(t, "after a start", info.Revision, a, b)
		if s := b.Status(); s.Waiting != nil || s.Degraded {
			t.Errorf("status %+v", s)
		}
	})
}

// TestOneNewProgramDoesNotTakeFromAllWhatAPersonActivated has a sidecar without memory, and one
// that had the policy.
func TestOneNewProgramDoesNotTakeFromAllWhatAPersonActivated(t *testing.T) {
	for _, remembers := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			m, data := newMemory(), t.TempDir()
			a := join(t, m, "a", activation.Options{})
			b := open(t, activation.Options{DataDir: data})
			stop, err := b.Share(t.Context(), m, "b")
			if err != nil {
				t.Fatal(err)
			}
			info, err := a.activate(t, readers(t))
			if err != nil {
				t.Fatal(err)
			}
			second()
			if err := errors.Join(stop(), b.Close()); err != nil {
				t.Fatal(err)
			}
			m.mu.Lock()
			m.state = changed(t, m.state, "seen", map[string][]string{activation.Embedded: {"of the program before"}})
			m.version++
			m.mu.Unlock()
			if remembers {
				former(t, data)
			} else {
				data = t.TempDir()
			}
			b = join(t, m, "b", activation.Options{DataDir: data})
			second()
			same(t, "after a new program", info.Revision, a, b)
			for _, f := range []fixture{a, b} {
				if s := f.Status(); s.Waiting == nil || !s.Waiting.Held.Chosen || s.Waiting.Source != activation.Embedded {
					t.Errorf("remembers %t: %+v", remembers, s)
				}
			}
		})
	}
}

// TestARollbackStandsForASidecarThatWasAway had not seen what all others took back.
func TestARollbackStandsForASidecarThatWasAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, dir, data := newMemory(), t.TempDir(), t.TempDir()
		write(t, dir, files(t))
		a := join(t, m, "a", activation.Options{Source: dir})
		first := a.Revision()
		b := open(t, activation.Options{Source: dir, DataDir: data})
		stop, err := b.Share(t.Context(), m, "b")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(stop(), b.Close()); err != nil {
			t.Fatal(err)
		}
		write(t, dir, readers(t))
		for range 3 {
			second()
		}
		if !a.mayRead(t) {
			t.Fatalf("what the directory holds is not active: %+v", a.Status())
		}
		if _, err := a.Rollback(t.Context(), "uid:7", "", nil); err != nil {
			t.Fatal(err)
		}
		b = join(t, m, "b", activation.Options{Source: dir, DataDir: data})
		for range 3 {
			second()
		}
		same(t, "after the other is back", first, a, b)
	})
}
