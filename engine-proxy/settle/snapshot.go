package settle

import (
	"context"
	"errors"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

const (
	snapshotDelay    = time.Second      // most jobs end before, and their files are the next snapshot
	snapshotDeadline = 30 * time.Second // of pulling one
)

// snapshots pulls the game of a working engine into the archive: when a job
// begins and there is none yet, and after each build. What a lost job leaves
// is the last of them. They are a precaution: the feed does not wait for them,
// and one that fails is made up for by the next.
type snapshots struct {
	*Settler
	feed Feed

	job    string    // that was seen last; an engine works on one at a time
	stage  api.Stage // of it
	wanted chan struct{}
}

func newSnapshots(f *feeder) *snapshots {
	return &snapshots{Settler: f.Settler, feed: f.Feed, wanted: make(chan struct{}, 1)}
}

// saw looks at a record of the feed.
func (s *snapshots) saw(rec contract.FeedRecord) {
	if rec.Record == nil {
		return
	}
	now := rec.Record.Progress.Stage
	same := s.job == rec.JobID && s.stage == now
	s.job, s.stage = rec.JobID, now
	switch {
	case rec.Kind == contract.FeedEnded:
		return
	case rec.Kind == contract.FeedStarted && s.Archive.HasSnapshot(s.feed.ProjectID):
		return // the game is still what the last job left
	case rec.Kind != contract.FeedStarted && (same || !built(now)):
		return
	}
	select {
	case s.wanted <- struct{}{}:
	default:
	}
}

// built reports whether a stage follows a build.
func built(s api.Stage) bool {
	switch s {
	case api.StageAuditing, api.StagePlaytesting, api.StageFixing, api.StagePackaging:
		return true
	}
	return false
}

// run pulls what is wanted until ctx ends.
func (s *snapshots) run(ctx context.Context) {
	for {
		select {
		case <-s.wanted:
		case <-ctx.Done():
			return
		}
		if clock.Sleep(ctx, s.Clock, snapshotDelay) != nil {
			return
		}
		err := s.pull(ctx)
		if missing, ok := errors.AsType[*engineclient.StatusError](err); ok && missing.Status == http.StatusNotFound {
			return // this engine has none
		}
		if err != nil && ctx.Err() == nil {
			s.feed.Logger.Warn("pulling snapshot failed", zap.Error(err))
		}
	}
}

func (s *snapshots) pull(ctx context.Context) error {
	ctx, cancel := clock.Within(ctx, s.Clock, snapshotDeadline)
	defer cancel()
	src, err := s.feed.Client.Snapshot(ctx)
	if err != nil {
		return err
	}
	return s.Archive.PutSnapshot(ctx, s.feed.ProjectID, src)
}
