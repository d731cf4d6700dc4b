package activation_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/sidecar/activation"
)

// content returns what a file holds.
func content(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestKeysOfPoliciesAreReplacedWithoutARestart: a bundle that is signed with a key which is not
// there yet is taken once it is, and one of a key that is gone is not any more.
func TestKeysOfPoliciesAreReplacedWithoutARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		former, publicOfFormer := keyPair(t)
		newer, publicOfNewer := keyPair(t)
		path, keys := filepath.Join(t.TempDir(), "policy.tar.gz"), filepath.Join(t.TempDir(), "keys.pem")
		replace(t, keys, content(t, publicOfFormer))
		replace(t, path, archive(t, files(t), 1, former))
		f := open(t, activation.Options{Source: path, KeyFile: keys})
		want := func(what string, sequence int64, refused bool) {
			t.Helper()
			for range 2 { // a look at the keys, and one at the source
				second()
			}
			s := f.Status()
			if s.Active.Sequence != sequence || s.Degraded != refused || refused && s.Problem.Step != activation.StepSignature {
				t.Errorf("%s: %d is active, %+v", what, s.Active.Sequence, s.Problem)
			}
		}
		want("at first", 1, false)
		replace(t, path, archive(t, readers(t), 2, newer))
		want("with a key that is not there", 1, true)
		replace(t, keys, []byte("not yet"))
		want("while the file is no key", 1, true)
		replace(t, keys, append(content(t, publicOfFormer), content(t, publicOfNewer)...))
		want("with both", 2, false)
		replace(t, keys, content(t, publicOfNewer))
		want("without the former", 2, false)
		replace(t, path, archive(t, edit(t, readers(t), "svc/key/key.rego", "# title: Key\n", "# title: Keys\n"), 3, former))
		want("with a key that is gone", 2, true)
		if _, err := f.Rollback(t.Context(), "uid:7", "", nil); err == nil {
			t.Error("a policy is rolled back to that was signed with a key that is gone")
		}
		if logged := f.logs.FilterMessage("keys of policies can't be read again; keeping the former ones").Len(); logged != 1 {
			t.Errorf("that the file is no key is logged %d times", logged)
		}
	})
}

// TestApproversAreReplacedForAllSidecarsWithoutARestart of any.
func TestApproversAreReplacedForAllSidecarsWithoutARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		private, public := keyPair(t)
		former, publicOfFormer := keyPair(t)
		newer, publicOfNewer := keyPair(t)
		approvers := filepath.Join(t.TempDir(), "approvers.pem")
		replace(t, approvers, content(t, publicOfFormer))
		m := newMemory()
		a := join(t, m, "a", activation.Options{KeyFile: public, Approvers: approvers})
		b := join(t, m, "b", activation.Options{KeyFile: public, Approvers: publicOfFormer})
		shipped := a.Revision()
		info, err := a.activate(t, signed(t, readers(t), private))
		if err != nil || info.Held == nil {
			t.Fatalf("activated %+v, %v", info, err)
		}
		replace(t, approvers, content(t, publicOfNewer))
		time.Sleep(3 * time.Second)
		synctest.Wait()
		for name, f := range map[string]fixture{"a": a, "b": b} {
			_, err := f.Approve(t.Context(), activation.Approval{Actor: "uid:0", Revision: info.Revision, Signature: approval(t, info, shipped, former)})
			if !errors.Is(err, activation.ErrApproval) {
				t.Errorf("%s lets an approver approve that is gone: %v", name, err)
			}
		}
		if _, err := a.Approve(t.Context(), activation.Approval{Actor: "uid:0", Revision: info.Revision, Signature: approval(t, info, shipped, newer)}); err != nil {
			t.Fatal(err)
		}
		second()
		same(t, "with the approval", info.Revision, a, b)
	})
}
