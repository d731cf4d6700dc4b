package wire_test

import (
	"errors"
	"net/http"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

func testPublishing(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	job := w.submit(key.ID, project.ID)
	var refused *api.Error
	if _, err := w.Service.Publish(t.Context(), project.ID, job); !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Errorf("a job that runs: %v", err)
	}
	if _, err := w.Ledger.ApplyFeed(t.Context(), finished(project.ID, job)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Service.Publication(t.Context(), project.ID); !errors.Is(err, sidecar.ErrNotPublished) {
		t.Errorf("before: %v", err)
	}
	if _, err := w.Service.Publish(t.Context(), project.ID, "job_01J0000000000000000000000A"); !errors.Is(err, sidecar.ErrUnknownJob) {
		t.Errorf("a job no one made: %v", err)
	}
	made, err := w.Service.Publish(t.Context(), project.ID, job)
	if err != nil || made.JobID != job || made.Key == "" || made.PublishedAt.IsZero() {
		t.Fatalf("published %+v, %v", made, err)
	}
	if found, err := w.Service.Publication(t.Context(), project.ID); err != nil || found != made {
		t.Errorf("found %+v, %v, want %+v", found, err, made)
	}
	if ids, err := w.Ledger.PublishedJobs(t.Context()); err != nil || len(ids) != 1 || ids[0] != job {
		t.Errorf("published are %v, %v", ids, err)
	}
	if read, err := w.Service.Overview(t.Context(), project.ID, 3); err != nil || len(read.Days) != 3 || read.ProjectID != project.ID {
		t.Errorf("overview %+v, %v", read, err)
	}
	for _, name := range api.Views() {
		if read, err := w.Service.View(t.Context(), project.ID, api.ViewQuery{Name: name, Days: 3}); err != nil || read.View != name || len(read.Tables) == 0 {
			t.Errorf("view %s: %+v, %v", name, read, err)
		}
	}
	if err := w.Service.Unpublish(t.Context(), project.ID); err != nil {
		t.Error(err)
	}
	if _, err := w.Service.Publication(t.Context(), project.ID); !errors.Is(err, sidecar.ErrNotPublished) {
		t.Errorf("after: %v", err)
	}
}
