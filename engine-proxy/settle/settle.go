// Package settle brings what engines did into the ledger: it carries their feeds,
// keeps what ended jobs left in the archive, and ends jobs that no engine can end.
package settle

import (
	"context"
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/archive"
	"github.com/svc-games/svc/engine-proxy/engineclient"
	"github.com/svc-games/svc/engine-proxy/internal/clock"
)

// Values of the label of Settler.Archived.
const (
	Kept    = "kept"
	Deleted = "deleted"
)

// Settler settles the jobs of all projects. All fields but Egress are required.
// It is safe for concurrent use.
type Settler struct {
	Ledger   engineproxy.Ledger
	Archive  *archive.Store
	Egress   engineproxy.Egress // nil: no models
	Clock    clock.Clock
	Logger   *zap.Logger
	Archived *prometheus.CounterVec // jobs that were Kept or Deleted
	Breaches prometheus.Counter     // jobs whose engine broke the contract
}

// Unfinished returns the unfinished jobs, by project.
func (s *Settler) Unfinished(ctx context.Context) (map[string][]contract.OpenJob, error) {
	jobs, err := s.Ledger.OpenJobs(ctx, "")
	if err != nil {
		return nil, err
	}
	byProject := make(map[string][]contract.OpenJob)
	for _, j := range jobs {
		if api.ValidProjectID(j.ProjectID) {
			byProject[j.ProjectID] = append(byProject[j.ProjectID], j)
		}
	}
	return byProject, nil
}

// Resolve asks an engine whether it accepted a job, and has the ledger end the
// doubt about the job's reservation.
func (s *Settler) Resolve(ctx context.Context, client *engineclient.Client, jobID string) error {
	var verdict contract.FenceVerdict
	err := clock.Do(ctx, s.Clock, engineclient.QuickCall, func(ctx context.Context) (err error) {
		verdict, err = client.Fence(ctx, jobID)
		return err
	})
	if err != nil {
		return err
	}
	return s.Ledger.Resolve(ctx, jobID, verdict)
}

// endCalls is called before the ledger is told that a job has ended: from then on
// the project may be deleted, and with it the job that is charged.
func (s *Settler) endCalls(ctx context.Context, projectID, jobID string) error {
	if s.Egress == nil {
		return nil
	}
	return s.Egress.EndJob(ctx, projectID, jobID)
}

// Bounds say which jobs are old.
type Bounds struct {
	Retain time.Duration // since their end
	Most   int64         // bytes that the archive may take; 0: as many as there are
}

// spared is how long an ended job can be fetched, however full the archive is.
const spared = time.Hour

// Expire forgets old jobs: their rows and idempotency keys in the ledger, and
// then what the archive has of them. In between they are unknown already, as
// they should be.
func (s *Settler) Expire(ctx context.Context, now time.Time, b Bounds) error {
	before := now.Add(-b.Retain)
	if b.Most > 0 {
		keep, err := s.needed(ctx)
		if err != nil {
			return err
		}
		over, err := s.Archive.Over(ctx, b.Most, keep)
		if err != nil {
			return fmt.Errorf("measuring archive: %w", err)
		}
		if most := now.Add(-spared); over.After(most) {
			over = most
		}
		if over.After(before) {
			before = over
			s.Logger.Warn("the archive is full, jobs are forgotten early", zap.Int64("bytes", b.Most), zap.Time("before", before))
		}
	}
	rows, err := s.Ledger.Expire(ctx, before)
	if err != nil {
		return fmt.Errorf("forgetting jobs: %w", err)
	}
	keep, err := s.needed(ctx)
	if err != nil {
		return err
	}
	deleted, err := s.Archive.Sweep(ctx, before, keep)
	s.Archived.WithLabelValues(Deleted).Add(float64(deleted))
	if err != nil {
		return fmt.Errorf("sweeping archive: %w", err)
	}
	if rows > 0 || deleted > 0 {
		s.Logger.Info("old jobs were forgotten", zap.Int("jobs", rows), zap.Int("archived", deleted), zap.Time("before", before))
	}
	return nil
}

// needed returns the jobs of which the archive may lose nothing: those that are not
// settled yet, and those that are published.
func (s *Settler) needed(ctx context.Context) (map[string]bool, error) {
	open, err := s.Ledger.OpenJobs(ctx, "")
	if err != nil {
		return nil, fmt.Errorf("asking for unfinished jobs: %w", err)
	}
	published, err := s.Ledger.PublishedJobs(ctx)
	if err != nil {
		return nil, fmt.Errorf("asking for published jobs: %w", err)
	}
	keep := make(map[string]bool, len(open)+len(published))
	for _, j := range open {
		keep[j.JobID] = true
	}
	for _, id := range published {
		keep[id] = true
	}
	return keep, nil
}
