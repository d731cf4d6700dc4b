package settle

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// Messages of jobs that the engine proxy ends, for the client's eyes.
const (
	lostWithEngine = "The project's engine could not be brought back, and the job with it."
	lostWithVolume = "The project's engine does not know the job any more."
	notKept        = "The job's result could not be kept."
	brokeContract  = "The project's engine reported what it can't have done."
)

// GiveUpAll ends the accepted jobs of an engine that can't be brought back.
func (s *Settler) GiveUpAll(ctx context.Context, jobs []contract.OpenJob) {
	for _, j := range jobs {
		if j.Reserved {
			continue
		}
		if err := s.GiveUp(ctx, j, api.FailureEngineLost, lostWithEngine); err != nil {
			s.Logger.Error("giving up job failed", zap.String("job", j.JobID), zap.Error(err))
		}
	}
}

// GiveUpUnknown compares the unfinished jobs with those a ready engine knows: a
// volume that was made anew knows none. It tries until it has an answer.
func (s *Settler) GiveUpUnknown(ctx context.Context, projectID string, c *engineclient.Client) {
	for wait := time.Second; ; wait = min(2*wait, time.Minute) {
		err := s.giveUpUnknownOnce(ctx, projectID, c)
		if err == nil || ctx.Err() != nil {
			return
		}
		s.Logger.Warn("comparing unfinished jobs failed", zap.String("project", projectID), zap.Error(err))
		if clock.Sleep(ctx, s.Clock, wait) != nil {
			return
		}
	}
}

func (s *Settler) giveUpUnknownOnce(ctx context.Context, projectID string, c *engineclient.Client) error {
	// Listed before the engine is asked: what it accepts later is not missed.
	open, err := s.Ledger.OpenJobs(ctx, projectID)
	if err != nil || len(open) == 0 {
		return err
	}
	ids := make([]string, len(open))
	for i, j := range open {
		ids[i] = j.JobID
	}
	var known map[string]bool
	if err := clock.Do(ctx, s.Clock, engineclient.QuickCall, func(ctx context.Context) (err error) {
		known, err = c.Knows(ctx, ids)
		return err
	}); err != nil {
		return err
	}
	var all error
	for _, j := range open {
		if !j.Reserved && !known[j.JobID] {
			all = errors.Join(all, s.GiveUp(ctx, j, api.FailureEngineLost, lostWithVolume))
		}
	}
	return all
}

// GiveUp ends a job as failed without its engine: its end is in the archive
// before it is in the ledger. If the archive has the job's own end already,
// that one stands.
func (s *Settler) GiveUp(ctx context.Context, j contract.OpenJob, code api.FailureCode, message string) error {
	record := j.Record
	record.JobID, record.ProjectID = j.JobID, j.ProjectID
	end := engineproxy.Failure(record, code, message, s.Clock.Now().UTC())
	kept, err := s.Archive.PutEnd(end)
	if err != nil {
		return fmt.Errorf("archiving given up job: %w", err)
	}
	if err := s.endCalls(ctx, j.ProjectID, j.JobID); err != nil {
		return err
	}
	if err := s.Ledger.EndJob(ctx, kept); err != nil {
		return fmt.Errorf("ending given up job: %w", err)
	}
	s.Logger.Warn("job was ended without its engine", zap.String("project", j.ProjectID), zap.String("job", j.JobID),
		zap.String("code", string(code)))
	return nil
}
