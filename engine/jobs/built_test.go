package jobs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/test/wait"
)

func TestWhatAJobHasBuiltIsShownWhileItRuns(t *testing.T) {
	built, release := make(chan struct{}), make(chan struct{})
	e := start(t, t.TempDir(), script(func(ctx context.Context, req gen.Request, rep gen.Reporter) (gen.Result, error) {
		rep.Built(map[string][]byte{"index.html": []byte("built")})
		close(built)
		<-release
		return write(ctx, req, rep)
	}))
	id := e.submit("a game")
	e.ack(e.until(contract.FeedStarted))
	wait.For(t, "the build", built)
	if text, err := e.Built("index.html"); string(text) != "built" {
		t.Errorf("%q, %v", text, err)
	}
	if _, err := e.Built("none.js"); !errors.Is(err, jobs.ErrNoFile) {
		t.Errorf("a file that is not there: %v", err)
	}
	close(release)
	e.finish(id)
	wait.Until(t, "the job's build is gone", func() bool {
		_, err := e.Built("index.html")
		return errors.Is(err, jobs.ErrNoFile)
	})
}
