package activation_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/svc-games/svc/sidecar/activation"
)

// TestASidecarWithoutApproversLetsNothingInForTheOthers was started without the option that
// they have.
func TestASidecarWithoutApproversLetsNothingInForTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		private, public := keyPair(t)
		approver, publicOfApprover := keyPair(t)
		m := newMemory()
		a := join(t, m, "a", activation.Options{KeyFile: public, Approvers: publicOfApprover})
		dir := t.TempDir()
		b := join(t, m, "b", activation.Options{KeyFile: public})
		shipped := a.Revision()
		info, err := b.activate(t, signed(t, readers(t), private))
		if err != nil || info.Held == nil || !info.Held.Approval {
			t.Fatalf("activated %+v, %v", info, err)
		}
		if _, err := b.Approve(t.Context(), activation.Approval{Actor: "uid:7", Revision: info.Revision}); !errors.Is(err, activation.ErrApproval) {
			t.Errorf("approved: %v", err)
		}
		// Nor does what its source holds come in, at its start or later.
		write(t, dir, signed(t, edit(t, readers(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n"), private))
		c := join(t, m, "c", activation.Options{KeyFile: public, Source: dir})
		second()
		same(t, "without an approval", shipped, a, b, c)
		waiting := a.Status().Waiting
		if waiting == nil || waiting.Source != dir || !waiting.Held.Approval {
			t.Fatalf("what waits is %+v", waiting)
		}
		if _, err := a.Approve(t.Context(), activation.Approval{Actor: "uid:0", Revision: waiting.Revision, Signature: approval(t, *waiting, shipped, approver)}); err != nil {
			t.Fatal(err)
		}
		second()
		same(t, "with an approval", waiting.Revision, a, b, c)
	})
}

// TestApproversAreThoseOfTheSidecarThatStartedLast: a key that is taken out approves nothing
// more anywhere, and none is needed once one sidecar is told so.
func TestApproversAreThoseOfTheSidecarThatStartedLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		private, public := keyPair(t)
		former, publicOfFormer := keyPair(t)
		_, publicOfNew := keyPair(t)
		m := newMemory()
		a := join(t, m, "a", activation.Options{KeyFile: public, Approvers: publicOfFormer})
		b := join(t, m, "b", activation.Options{KeyFile: public, Approvers: publicOfNew})
		second()
		shipped := a.Revision()
		info, err := a.activate(t, signed(t, readers(t), private))
		if err != nil || info.Held == nil {
			t.Fatalf("activated %+v, %v", info, err)
		}
		_, err = a.Approve(t.Context(), activation.Approval{Actor: "uid:0", Revision: info.Revision, Signature: approval(t, info, shipped, former)})
		if !errors.Is(err, activation.ErrApproval) {
			t.Errorf("approved by a key that is taken out: %v", err)
		}
		c := join(t, m, "c", activation.Options{KeyFile: public, Approvers: activation.NoApprovers})
		info, err = c.activate(t, signed(t, readers(t), private))
		if err != nil || info.Held != nil {
			t.Fatalf("activated %+v, %v", info, err)
		}
		second()
		same(t, "without approvers", info.Revision, a, b, c)
	})
}
