package activation_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/test/wait"
)

// recording returns options with a decision log in a data directory of its own.
func recording(t *testing.T, o activation.Options) activation.Options {
	t.Helper()
	o.DataDir = t.TempDir()
	log, err := decisionlog.Open(decisionlog.Options{Path: filepath.Join(o.DataDir, decisionlog.FileName), Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	o.Log = log
	return o
}

// asReader makes n decisions that the readers' policy would make otherwise, and waits until
// they are recorded.
func (f fixture) asReader(t *testing.T, n int, o activation.Options) {
	t.Helper()
	before := lines(t, o)
	for range n {
		if f.mayRead(t) {
			t.Fatal("a reader may read under the shipped policy")
		}
	}
	wait.Until(t, "the decisions are recorded", func() bool { return lines(t, o) >= before+n })
}

func lines(t *testing.T, o activation.Options) (n int) {
	t.Helper()
	log, err := decisionlog.OpenAll(o.Log.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for _, err := range decisionlog.Lines(log) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestAPolicyThatChangesMoreThanTheThresholdGoesToShadowFirst(t *testing.T) {
	o := recording(t, activation.Options{Threshold: 5})
	f := open(t, o)
	shipped := f.Revision()
	f.asReader(t, 5, o)
	info, err := f.activate(t, readers(t))
	if err != nil || info.Held != nil || !f.mayRead(t) {
		t.Fatalf("5 of 5 changed decisions: %+v, %v", info, err)
	}
	if _, err := f.Rollback(t.Context(), "uid:7", "", nil); err != nil {
		t.Fatal(err)
	}
	f.asReader(t, 1, o)
	info, err = f.activate(t, readers(t))
	if err != nil || info.Held == nil || info.Held.Changed != 7 || info.Held.Approval || f.Revision() != shipped {
		t.Fatalf("7 changed decisions, of both policies: %+v, %v", info, err)
	}
	if s := f.Status(); s.Waiting == nil || s.Waiting.Revision != info.Revision || s.Shadow == nil || s.Shadow.Revision != info.Revision || s.Degraded {
		t.Errorf("status %+v", s)
	}
	f.asReader(t, 1, o)
	wait.Until(t, "the candidate decided along", func() bool { return f.report(t).Compared == 1 })
	if files, err := f.Files(info.Revision); err != nil || files.Digest() != readers(t).Digest() {
		t.Errorf("what waits can't be read: %v", err)
	}
	for _, wrong := range []string{"", info.Revision[:5], shipped} {
		if _, err := f.Approve(t.Context(), activation.Approval{Actor: "uid:8", Revision: wrong}); !errors.Is(err, activation.ErrNoneWaits) {
			t.Errorf("%q was approved: %v", wrong, err)
		}
	}
	approved, err := f.Approve(t.Context(), activation.Approval{Actor: "uid:8", Revision: info.Revision[:8]})
	if err != nil || approved.Number != info.Number || approved.ProposedBy != "uid:7" || approved.ActivatedBy != "uid:8" || !f.mayRead(t) {
		t.Errorf("approved %+v, %v", approved, err)
	}
	if s := f.Status(); s.Waiting != nil || s.Shadow != nil || s.Active.Held != nil {
		t.Errorf("after the approval: %+v", s)
	}
}

func TestADirectoryThatChangesTooMuchWaitsAndOutlivesARestart(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, files(t))
	o := recording(t, activation.Options{Threshold: 2, Source: dir, Poll: 5 * time.Millisecond})
	f := open(t, o)
	f.asReader(t, 3, o)
	write(t, dir, readers(t))
	wait.Until(t, "the directory waits", func() bool { return f.Status().Waiting != nil })
	s := f.Status()
	if f.mayRead(t) || s.Degraded || s.Wanted != s.Waiting.Revision || s.Waiting.Held.Changed != 3 || s.Shadow == nil {
		t.Fatalf("status %+v", s)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	// The same, and another that came while the service was down, wait as well.
	o.Log = recording(t, activation.Options{}).Log
	f = open(t, o)
	if s := f.Status(); s.Waiting == nil || s.Shadow == nil || f.mayRead(t) {
		t.Fatalf("after a restart: %+v", s)
	}
	if _, err := f.Refuse(t.Context(), s.Waiting.Revision, nil); err != nil {
		t.Fatal(err)
	}
	if s := f.Status(); s.Waiting != nil || s.Shadow != nil {
		t.Errorf("refused: %+v", s)
	}
	f.asReader(t, 3, o)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	log, err := decisionlog.Open(decisionlog.Options{Path: o.Log.Path(), Sample: 1})
	if err != nil {
		t.Fatal(err)
	}
	o.Log = log
	write(t, dir, edit(t, readers(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n"))
	f = open(t, o)
	if s := f.Status(); s.Waiting == nil || s.Waiting.Held.Changed < 3 || f.mayRead(t) {
		t.Errorf("changed while the service was down: %+v", s)
	}
	// What waits was compared with what a rollback or activation takes away.
	if _, err := f.activate(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: A key\n")); err != nil {
		t.Fatal(err)
	}
	if s := f.Status(); s.Waiting != nil || s.Shadow != nil {
		t.Errorf("after another activation: %+v", s)
	}
}

// signed returns a policy that is signed with a private key.
func signed(t *testing.T, s bundle.Snapshot, key string) bundle.Snapshot {
	t.Helper()
	signing, err := bundle.ReadSigningKey(key)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Sign(signing); err != nil {
		t.Fatal(err)
	}
	return s
}

// approval returns the signature of what approves info, after the policy active.
func approval(t *testing.T, info activation.Info, active, key string) []byte {
	t.Helper()
	statement, err := activation.Statement(info, active)
	if err != nil {
		t.Fatal(err)
	}
	return signed(t, statement, key)[bundle.SignaturesFile]
}

func TestASecondPersonApprovesWhereApproversAreConfigured(t *testing.T) {
	alice, alicePublic := keyPair(t)
	bob, bobPublic := keyPair(t)
	mallory, _ := keyPair(t)
	both := filepath.Join(t.TempDir(), "approvers.pem")
	var text []byte
	for _, path := range []string{alicePublic, bobPublic} {
		one, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, one...)
	}
	if err := os.WriteFile(both, text, 0o600); err != nil {
		t.Fatal(err)
	}
	f := open(t, activation.Options{KeyFile: both, Approvers: both})
	shipped := f.Revision()
	if _, err := f.activate(t, readers(t)); err == nil {
		t.Fatal("a policy that nobody signed was taken")
	}
	info, err := f.activate(t, signed(t, readers(t), alice))
	if err != nil || info.Held == nil || !info.Held.Approval || f.mayRead(t) {
		t.Fatalf("without an approval: %+v, %v", info, err)
	}
	other := info
	other.Number++
	for name, signature := range map[string][]byte{
		"none":               nil,
		"of the author":      approval(t, info, shipped, alice),
		"of someone else":    approval(t, info, shipped, mallory),
		"of another":         approval(t, other, shipped, bob),
		"after another":      approval(t, info, info.Revision, bob),
		"that is no JSON":    []byte("x"),
		"of the policy":      signed(t, readers(t), bob)[bundle.SignaturesFile],
		"with empty members": []byte("{}"),
	} {
		_, err := f.Approve(t.Context(), activation.Approval{Actor: "uid:0", Revision: info.Revision, Signature: signature})
		if !errors.Is(err, activation.ErrApproval) || f.mayRead(t) {
			t.Errorf("approval %s: %v", name, err)
		}
	}
	approved, err := f.Approve(t.Context(), activation.Approval{Actor: "uid:0", Revision: info.Revision, Signature: approval(t, info, shipped, bob)})
	if err != nil || approved.ActivatedBy[:4] != "key:" || !f.mayRead(t) {
		t.Fatalf("approved %+v, %v", approved, err)
	}
	// An approval is not good for a second time, and going back needs none.
	if _, err := f.Rollback(t.Context(), "uid:7", "", nil); err != nil || f.mayRead(t) {
		t.Fatal(err)
	}
	again, err := f.activate(t, signed(t, readers(t), alice))
	if err != nil || again.Held == nil {
		t.Fatalf("%+v, %v", again, err)
	}
	if _, err := f.Approve(t.Context(), activation.Approval{Actor: "uid:0", Revision: again.Revision, Signature: approval(t, info, shipped, bob)}); !errors.Is(err, activation.ErrApproval) {
		t.Errorf("an approval of before: %v", err)
	}
	if err := (activation.Options{Approvers: both}).Validate(); err == nil {
		t.Error("approvers without signatures")
	}
}

func TestWhatWaitsAtOneSidecarWaitsAtAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		private, public := keyPair(t)
		second2, publicOfSecond := keyPair(t)
		m := newMemory()
		o := activation.Options{KeyFile: public, Approvers: publicOfSecond}
		a, b := join(t, m, "a", o), join(t, m, "b", o)
		shipped := a.Revision()
		info, err := a.activate(t, signed(t, readers(t), private))
		if err != nil || info.Held == nil {
			t.Fatalf("%+v, %v", info, err)
		}
		second()
		if s := b.Status(); s.Waiting == nil || s.Waiting.Number != info.Number || s.Shadow == nil {
			t.Fatalf("the other sidecar: %+v", s)
		}
		// One that starts with another policy from its source has it wait, too.
		dir := t.TempDir()
		write(t, dir, signed(t, edit(t, readers(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n"), private))
		c := join(t, m, "c", activation.Options{KeyFile: public, Approvers: publicOfSecond, Source: dir})
		same(t, "a start", shipped, a, b, c)
		second()
		waiting := a.Status().Waiting
		if waiting == nil || waiting.Source != dir {
			t.Fatalf("what waits is %+v", waiting)
		}
		if _, err := b.Approve(t.Context(), activation.Approval{Actor: "uid:0", Revision: waiting.Revision, Signature: approval(t, *waiting, shipped, second2)}); err != nil {
			t.Fatal(err)
		}
		second()
		same(t, "an approval", waiting.Revision, a, b, c)
		for _, f := range []fixture{a, b, c} {
			if s := f.Status(); s.Waiting != nil || s.Shadow != nil {
				t.Errorf("status %+v", s)
			}
		}
	})
}

func TestWhatWaitsDecidesAlongAgainAfterAnotherCandidate(t *testing.T) {
	o := recording(t, activation.Options{Threshold: 2})
	f := open(t, o)
	f.asReader(t, 3, o)
	info, err := f.activate(t, readers(t))
	if err != nil || info.Held == nil {
		t.Fatalf("activated %+v, %v", info, err)
	}
	f.shadow(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n"), 1)
	if s := f.Status(); s.Shadow == nil || s.Shadow.Revision == info.Revision {
		t.Fatalf("the candidate does not decide along: %+v", s)
	}
	f.endShadow(t)
	if s := f.Status(); s.Shadow == nil || s.Shadow.Revision != info.Revision {
		t.Errorf("after the candidate: %+v", s)
	}
	f.asReader(t, 1, o)
	wait.Until(t, "what waits decided along", func() bool { return f.report(t).Compared == 1 })
	f.endShadow(t)
	if s := f.Status(); s.Shadow != nil {
		t.Errorf("what waits was ended: %+v", s)
	}
}
