package activation_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/policy/verify"
	"github.com/svc-games/svc/sidecar/activation"
)

// reporting waits until each sidecar has said that it is there.
func reporting() {
	time.Sleep(6 * time.Second)
	synctest.Wait()
}

// TestWhatIsRecordedAtOtherSidecarsCountsForTheThreshold: a policy is uploaded at a sidecar
// that no gateway asks.
func TestWhatIsRecordedAtOtherSidecarsCountsForTheThreshold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		ofA, ofB, ofC := recording(t, activation.Options{Threshold: 5}), recording(t, activation.Options{}), recording(t, activation.Options{})
		a, b, c := join(t, m, "a", ofA), join(t, m, "b", ofB), join(t, m, "c", ofC)
		reporting()
		b.asReader(t, 2, ofB)
		c.asReader(t, 3, ofC)
		info, err := a.activate(t, readers(t))
		if err != nil || info.Held != nil || info.Changes == nil || info.Changes.Changed != 5 || info.Changes.Decisions != 5 {
			t.Fatalf("5 changed decisions at the others: %+v, %v", info, err)
		}
		if _, err := a.Rollback(t.Context(), "uid:7", "", nil); err != nil {
			t.Fatal(err)
		}
		second()
		c.asReader(t, 1, ofC)
		if info, err = a.activate(t, readers(t)); err != nil || info.Held == nil || info.Held.Changed != 6 || info.Held.Silent != 0 {
			t.Errorf("6 changed decisions at the others, where 5 may change: %+v, %v", info, err)
		}
		if len(m.questions) > 0 {
			t.Errorf("left in the store are %v", m.questions)
		}
	})
}

// TestASidecarThatDoesNotAnswerCountsAsTheOneWithMost: b is of a former version.
func TestASidecarThatDoesNotAnswerCountsAsTheOneWithMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.mute = []string{"b"}
		o := recording(t, activation.Options{Threshold: 5})
		a := join(t, m, "a", o)
		join(t, m, "b", activation.Options{})
		reporting()
		a.asReader(t, 2, o)
		info, err := a.activate(t, readers(t))
		if err != nil || info.Held != nil || info.Changes.Silent != 1 {
			t.Fatalf("2 changed decisions of a half: %+v, %v", info, err)
		}
		if said := info.Changes.String(); said != "it changes 2 of 2 decisions of the last hour, without those of 1 sidecar that did not answer" {
			t.Errorf("it says %q", said)
		}
		if _, err := a.Rollback(t.Context(), "uid:7", "", nil); err != nil {
			t.Fatal(err)
		}
		a.asReader(t, 1, o)
		if info, err = a.activate(t, readers(t)); err != nil || info.Held == nil || info.Held.Changed != 3 {
			t.Errorf("3 changed decisions of a half, where 5 of all may change: %+v, %v", info, err)
		}
		if len(m.questions) > 0 {
			t.Errorf("left in the store are %v", m.questions)
		}
	})
}

// TestDecisionsOfOtherSidecarsAreGatheredWithTheirPolicies: the policy that made them is not
// kept any more, and decided nothing here.
func TestDecisionsOfOtherSidecarsAreGatheredWithTheirPolicies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		ofA, ofB := recording(t, activation.Options{}), recording(t, activation.Options{})
		a, b := join(t, m, "a", ofA), join(t, m, "b", ofB)
		join(t, m, "c", activation.Options{}) // without a log
		reporting()
		b.asReader(t, 2, ofB)
		revision := b.Revision()
		all, err := a.Gather(t.Context(), decisionlog.Query{Filter: decisionlog.Filter{Who: verify.Poll().Key.ID}, Last: 1})
		if err != nil || len(all.Parts) != 2 || len(all.Silent) != 0 || all.Parts[0].Matched != 1 {
			t.Fatalf("%+v, %v", all, err)
		}
		lines, err := all.Parts[0].Open()
		if err != nil {
			t.Fatal(err)
		}
		if text, err := io.ReadAll(lines); err != nil || strings.Count(string(text), "\n") != 1 || !strings.Contains(string(text), revision) {
			t.Errorf("%s, %v", text, err)
		}
		files, err := a.Decided(t.Context(), revision)
		if err != nil || len(files["svc/key/key.rego"]) == 0 {
			t.Errorf("the policy that decided: %d files, %v", len(files), err)
		}
		if _, err := a.Decided(t.Context(), "0123456789abcdef"); !errors.Is(err, activation.ErrUnknownRevision) {
			t.Errorf("one that decided nowhere: %v", err)
		}
		m.fail(errors.New("no connection"))
		if _, err := a.Gather(t.Context(), decisionlog.Query{}); err == nil {
			t.Error("nothing is said of a store that is away")
		}
		m.fail(nil)
	})
}
