package wire_test

import (
	"errors"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

func testJobs(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	first := w.submit(key.ID, project.ID)
	second := w.submit(key.ID, project.ID)
	newest, oldest := max(first, second), min(first, second)
	for _, q := range []sidecar.JobQuery{{ProjectID: project.ID}, {UserID: "alice", Status: api.JobQueued}} {
		q.Limit = 1
		page, err := w.Service.Jobs(t.Context(), q)
		if err != nil || len(page.Jobs) != 1 || page.Jobs[0].JobID != newest || page.Next != newest || page.Jobs[0].Queue == nil {
			t.Errorf("%+v: %+v, %v", q, page, err)
		}
		q.Before = page.Next
		page, err = w.Service.Jobs(t.Context(), q)
		if err != nil || len(page.Jobs) != 1 || page.Jobs[0].JobID != oldest || page.Next != "" {
			t.Errorf("%+v: %+v, %v", q, page, err)
		}
	}
	if page, err := w.Service.Jobs(t.Context(), sidecar.JobQuery{UserID: "bob", Limit: 5}); err != nil || len(page.Jobs) > 0 {
		t.Errorf("another user's: %+v, %v", page, err)
	}
}

func testStreamTokens(t *testing.T, w world) {
	key := w.key("alice", policy.Limits{})
	job := w.submit(key.ID, w.project("alice").ID)
	hash, _ := mint.ParseStreamToken(mint.NewStreamToken())
	if grant, err := w.Service.StreamGrant(t.Context(), hash); !errors.Is(err, sidecar.ErrUnknownToken) || grant != (sidecar.StreamGrant{}) {
		t.Errorf("before it is granted: %+v, %v", grant, err)
	}
	for range 2 { // the answer may be lost
		expires, err := w.Service.GrantStream(t.Context(), hash, key.ID, job)
		if left := time.Until(expires); err != nil || left > 5*time.Minute || left < time.Minute {
			t.Errorf("it is granted for %s, %v", left, err)
		}
	}
	want := sidecar.StreamGrant{KeyID: key.ID, UserID: "alice", JobID: job}
	if grant, err := w.Service.StreamGrant(t.Context(), hash); err != nil || grant != want {
		t.Errorf("it grants %+v, %v", grant, err)
	}
}
