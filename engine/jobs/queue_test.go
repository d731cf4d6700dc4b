package jobs_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
)

func TestWaitingJobsRunInTheOrderThatWasAskedForLastAfterARestartToo(t *testing.T) {
	entered := make(chan string, 8)
	e := start(t, t.TempDir(), until(entered, nil))
	running, a, b, c := e.submit("running"), e.submit("a"), e.submit("b"), e.submit("c")
	e.ack(e.until(contract.FeedStarted))
	<-entered
	for name, ids := range map[string][]string{
		"one is missing": {b, a}, "one is twice": {a, a, b}, "one is unknown": {a, b, "x"}, "one runs": {running, a, b}, "none": nil,
	} {
		if err := e.Reorder(ids); !errors.Is(err, jobs.ErrOtherQueue) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := e.Reorder([]string{c, a, b}); err != nil {
		t.Fatal(err)
	}
	d := e.submit("d")
	e.stop()

	again := start(t, e.dir, script(write))
	again.last = e.last
	again.finish(running) // the restart ended it
	var order []time.Time
	for _, id := range []string{c, a, b, d} {
		record := again.finish(id)
		if record.Status != api.JobCompleted || record.StartedAt == nil {
			t.Fatalf("%+v", record)
		}
		order = append(order, *record.StartedAt)
	}
	if !slices.IsSortedFunc(order, time.Time.Compare) {
		t.Errorf("they began at %v", order)
	}
}

func TestAJobInheritsFromThoseThatWerePutAheadOfIt(t *testing.T) {
	entered, got := make(chan string, 1), make(chan gen.Request, 4)
	e := start(t, t.TempDir(), until(entered, nil))
	running := e.submit("running")
	e.ack(e.until(contract.FeedStarted))
	<-entered
	behind, ahead := e.submit("behind"), e.submitRequest(lastingRequest("Ahead."))
	if err := e.Reorder([]string{ahead, behind}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Cancel(t.Context(), ahead); err != nil {
		t.Fatal(err)
	}
	between := e.submit("between")
	if err := e.Reorder([]string{between, behind}); err != nil {
		t.Fatal(err)
	}
	e.finish(ahead)
	e = e.restart(inheriting(got))
	for _, id := range []string{running, between, behind} {
		e.finish(id)
	}
	for range 2 {
		if req := <-got; req.Instructions != "Ahead." {
			t.Errorf("%s inherits %q", req.Prompt, req.Instructions)
		}
	}
}
