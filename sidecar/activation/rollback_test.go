package activation_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/sidecar/activation"
)

func TestRollbackHoldsUntilTheSourceChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir, data := t.TempDir(), t.TempDir()
		write(t, dir, files(t))
		o := activation.Options{Source: dir, DataDir: data}
		f := open(t, o)
		first := f.Revision()
		wait := func() {
			time.Sleep(3 * activation.DefaultPoll)
			synctest.Wait()
		}
		write(t, dir, readers(t))
		wait()
		second := f.Revision()
		if first == second || !f.mayRead(t) {
			t.Fatal("the change was not activated")
		}
		var confirmed activation.Info
		back, err := f.Rollback(t.Context(), "uid:7", "", func(_ context.Context, _, next activation.Info) error {
			confirmed = next
			return nil
		})
		if err != nil || back.Revision != first || confirmed.Revision != first || back.ActivatedBy != "uid:7" {
			t.Fatalf("rolled back to %+v, %v", back, err)
		}
		wait()
		if f.Revision() != first || f.mayRead(t) {
			t.Error("the rollback was undone")
		}
		// A restart changes nothing.
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f = open(t, o)
		wait()
		if f.Revision() != first {
			t.Error("the rollback was undone by a restart")
		}
		if _, err := f.Rollback(t.Context(), "uid:7", second[:8], nil); err != nil || f.Revision() != second {
			t.Errorf("back to the newer one by its name: %v", err)
		}
		if _, err := f.Rollback(t.Context(), "uid:7", first, nil); err != nil {
			t.Fatal(err)
		}
		write(t, dir, edit(t, readers(t), "svc/key/key.rego", "# title: Key\n", "# title: API key\n"))
		wait()
		if !f.mayRead(t) {
			t.Error("a change of the source was not activated after the rollback")
		}
		for _, unknown := range []string{"short", "0123456789"} {
			if _, err := f.Rollback(t.Context(), "uid:7", unknown, nil); !errors.Is(err, activation.ErrUnknownRevision) {
				t.Errorf("%s: got %v", unknown, err)
			}
		}
	})
}

func TestFiveGenerationsAreKept(t *testing.T) {
	data := t.TempDir()
	f := open(t, activation.Options{DataDir: data})
	for _, title := range []string{"A", "B", "C", "D", "E", "F"} {
		if _, err := f.activate(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: "+title+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	kept := f.Status().Generations
	if len(kept) != activation.Kept || kept[0].Number != 3 || kept[4].Number != 7 {
		t.Errorf("kept %+v", kept)
	}
	found, err := filepath.Glob(filepath.Join(data, "policy", "*.tar.gz"))
	if err != nil || len(found) != activation.Kept {
		t.Errorf("%d bundles on disk, %v", len(found), err)
	}
	// The same files again are the same generation, and push no other out.
	if _, err := f.activate(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: F\n")); err != nil {
		t.Fatal(err)
	}
	if kept := f.Status().Generations; len(kept) != activation.Kept || kept[0].Number != 3 || kept[4].Number != 8 {
		t.Errorf("kept %+v", kept)
	}
}

func TestAKeptPolicyThatWasChangedOnDiskIsNotUsed(t *testing.T) {
	data := t.TempDir()
	f := open(t, activation.Options{DataDir: data})
	if _, err := f.activate(t, readers(t)); err != nil {
		t.Fatal(err)
	}
	open := edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: Changed\n")
	if err := os.WriteFile(filepath.Join(data, "policy", "1.tar.gz"), archive(t, open, 0, ""), 0o600); err != nil {
		t.Fatal(err)
	}
	var failure *activation.Failure
	if _, err := f.Rollback(t.Context(), "uid:7", "", nil); !errors.As(err, &failure) || failure.Step != activation.StepRead || !f.mayRead(t) {
		t.Errorf("got %v", err)
	}
	if _, err := f.Files(f.Revision()); err != nil {
		t.Error(err)
	}
}

// TestRollbackFollowsWhatWasActive has a good policy, a withdrawn one and junk.
func TestRollbackFollowsWhatWasActive(t *testing.T) {
	data := t.TempDir()
	o := activation.Options{DataDir: data}
	f := open(t, o)
	policy := func(title string) string {
		t.Helper()
		g, err := f.activate(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: "+title+"\n"))
		if err != nil {
			t.Fatal(err)
		}
		return g.Revision
	}
	rollback := func(to, want string) {
		t.Helper()
		if _, err := f.Rollback(t.Context(), "uid:7", to, nil); err != nil || f.Revision() != want {
			t.Fatalf("rolled back to %s, %v; want %s", f.Revision(), err, want)
		}
	}
	first := f.Revision()
	good, withdrawn := policy("Good"), policy("Withdrawn")
	rollback(good, good)
	policy("Junk")
	rollback("", good)
	// A restart keeps the history, and a chain of rollbacks does not turn.
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	f = open(t, o)
	rollback("", first)
	if _, err := f.Rollback(t.Context(), "uid:7", "", nil); !errors.Is(err, activation.ErrUnknownRevision) {
		t.Errorf("got %v", err)
	}
	// By its name a withdrawn one is active again, and what it follows stays before it.
	rollback(withdrawn, withdrawn)
	rollback("", first)
}

func TestThePolicyThatWasActiveLastIsNotForgotten(t *testing.T) {
	f := open(t, activation.Options{DataDir: t.TempDir()})
	first := f.Revision()
	for _, title := range []string{"A", "B", "C", "D"} {
		if _, err := f.activate(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: "+title+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Rollback(t.Context(), "uid:7", first, nil); err != nil {
		t.Fatal(err)
	}
	for _, title := range []string{"E", "F", "G"} {
		if _, err := f.activate(t, edit(t, files(t), "svc/key/key.rego", "# title: Key\n", "# title: "+title+"\n")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Rollback(t.Context(), "uid:7", first, nil); err != nil {
		t.Errorf("the good one, active two uploads ago, is gone: %v", err)
	}
}
