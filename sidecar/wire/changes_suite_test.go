package wire_test

import (
	"fmt"
	"testing"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/test/wait"
)

func testChanges(t *testing.T, w world) {
	first, second := w.key("alice", policy.Limits{}), w.key("alice", policy.Limits{})
	end, err := w.Service.Changes(t.Context(), -1)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := w.Service.Changes(t.Context(), end.Seq); err != nil || same.Seq != end.Seq || len(same.KeyIDs) != 0 || same.More {
		t.Errorf("nothing new: %+v, %v", same, err)
	}
	for _, key := range []string{first.ID, second.ID} {
		if _, err := w.Keys.Disable(t.Context(), "test", key); err != nil {
			t.Fatal(err)
		}
	}
	got, err := w.Service.Changes(t.Context(), end.Seq)
	if err != nil || fmt.Sprint(got.KeyIDs) != fmt.Sprint([]string{first.ID, second.ID}) || got.Seq != end.Seq+2 || got.More {
		t.Errorf("changes %+v, %v", got, err)
	}
}

func testWatch(t *testing.T, w world) {
	key := w.key("alice", policy.Limits{})
	hints, stop := w.Service.Watch()
	defer stop()
	end, err := w.Service.Changes(t.Context(), -1)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Keys.Revoke(t.Context(), "test", key.ID); err != nil {
		t.Fatal(err)
	}
	for {
		wait.For(t, "a hint comes", hints)
		if got, err := w.Service.Changes(t.Context(), end.Seq); err != nil {
			t.Fatal(err)
		} else if len(got.KeyIDs) == 1 && got.KeyIDs[0] == key.ID {
			return
		}
	}
}
