package wire_test

import (
	"errors"
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/ledger"
)

func testPublishing(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	job := w.submit(key.ID, project.ID)
	var refused *answers.Error
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

func testGames(t *testing.T, w world) {
	key, project := w.key("alice", policy.Limits{}), w.project("alice")
	job := w.submit(key.ID, project.ID)
	if _, err := w.Ledger.ApplyFeed(t.Context(), finished(project.ID, job)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Service.RotatePlayKey(t.Context(), project.ID, time.Hour); !errors.Is(err, sidecar.ErrNotPublished) {
		t.Errorf("the key of what is not published: %v", err)
	}
	made, err := w.Service.Publish(t.Context(), project.ID, job)
	if err != nil {
		t.Fatal(err)
	}
	if rotated, err := w.Service.RotatePlayKey(t.Context(), project.ID, time.Hour); err != nil || rotated.Key == made.Key || rotated.JobID != job {
		t.Errorf("rotated %+v, %v", rotated, err)
	}
	before, err := w.Service.PlaySettings(t.Context(), project.ID)
	if err != nil || before.TIKPerMonth != ledger.DefaultGameTIK || before.AskConsent || before.Origins == nil || len(before.Origins) != 0 || before.FormerKeysUntil == nil {
		t.Errorf("before a change: %+v, %v", before, err)
	}
	origins, ask := []string{"https://example.com"}, true
	if _, err := w.Service.SetPlaySettings(t.Context(), project.ID, api.PlayChange{Origins: &origins}); err != nil {
		t.Fatal(err)
	}
	after, err := w.Service.SetPlaySettings(t.Context(), project.ID, api.PlayChange{AskConsent: &ask})
	if err != nil || !after.AskConsent || len(after.Origins) != 1 || after.TIKPerMonth != ledger.DefaultGameTIK {
		t.Errorf("after two: %+v, %v", after, err)
	}
	if _, err := w.Service.PlaySettings(t.Context(), "000000000000000000000000"); !errors.Is(err, sidecar.ErrUnknownProject) {
		t.Errorf("of an unknown project: %v", err)
	}
	testExperiments(t, w, project.ID)
	if rules, err := w.Service.BoardRules(t.Context(), project.ID); err != nil || rules.Better != api.BetterHigher || rules.Rewards == nil || len(rules.Rewards) != 0 {
		t.Errorf("a board counts by %+v, %v", rules, err)
	}
	five := 5.0
	want := api.BoardRules{Better: api.BetterLower, PerSecond: &five, Rewards: []api.RewardRule{
		{ID: "five", Name: "Five", Icon: "*", Kind: api.RewardScore, Least: &five, Often: api.OftenDaily}, {ID: "won", Name: "Won", Kind: api.RewardWin, Often: api.OftenOnce},
	}}
	if rules, err := w.Service.SetBoardRules(t.Context(), project.ID, want); err != nil || !reflect.DeepEqual(rules, want) {
		t.Errorf("set, it counts by %+v, %v", rules, err)
	}
}

func testExperiments(t *testing.T, w world, project string) {
	if list, err := w.Service.Experiments(t.Context(), project); err != nil || list == nil || len(list) != 0 {
		t.Errorf("before there is one: %v, %v", list, err)
	}
	change := func(change api.ExperimentChange) (api.Experiment, error) {
		list, err := w.Service.ChangeExperiment(t.Context(), project, change)
		if err != nil || len(list) != 1 {
			return api.Experiment{}, err
		}
		return list[0], nil
	}
	draft := api.ExperimentChange{ID: "speed", State: api.ExperimentDraft, Values: []string{"own", "1.25"}, Percents: []float64{90, 2.5}}
	if e, err := change(draft); err != nil || e.State != api.ExperimentDraft || len(e.Values) != 2 || e.Values[1] != (api.ExperimentValue{Value: "1.25", Percent: 2.5}) || e.StartedAt != nil {
		t.Errorf("a draft is %+v, %v", e, err)
	}
	for range 2 { // the second is who got no answer
		if e, err := change(api.ExperimentChange{ID: "speed", State: api.ExperimentRunning}); err != nil || e.State != api.ExperimentRunning || e.StartedAt == nil {
			t.Errorf("begun, it is %+v, %v", e, err)
		}
	}
	var refused *answers.Error
	if _, err := change(draft); !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Errorf("another draft of one that runs: %v", err)
	}
	if _, err := change(api.ExperimentChange{ID: "lives", State: api.ExperimentStopped}); !errors.As(err, &refused) || refused.Status != http.StatusNotFound {
		t.Errorf("one that is not there: %v", err)
	}
	if e, err := change(api.ExperimentChange{ID: "speed", State: api.ExperimentWinner, Winner: "1.25"}); err != nil || e.Winner != "1.25" || e.StoppedAt == nil {
		t.Errorf("decided, it is %+v, %v", e, err)
	}
	if list, err := w.Service.ChangeExperiment(t.Context(), project, api.ExperimentChange{ID: "speed", State: api.ExperimentRemoved}); err != nil || len(list) != 0 {
		t.Errorf("after it was removed: %v, %v", list, err)
	}
}
