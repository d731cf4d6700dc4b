package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/rpc"
	"github.com/svc-games/svc/sidecar"
)

const (
	// endSlice is how long one call waits for a job's end; the client repeats it. It
	// is short because another sidecar on the same store may end the job.
	endSlice = 2 * time.Second
	// heartbeat is the interval of bytes on a stream without hints.
	heartbeat = 10 * time.Second
	// writeTimeout bounds a write to a caller that does not read.
	writeTimeout = 10 * time.Second
)

// Service is what Handler serves.
type Service interface {
	sidecar.Service
	// Withdraw releases a reservation whose answer was lost, or has it refused if it
	// arrives later. It is idempotent.
	Withdraw(ctx context.Context, r sidecar.Reservation) error
}

// Handler serves the calls of gateways.
func Handler(svc Service, logger *zap.Logger) http.Handler {
	s := rpc.NewServer(Path, codes{}, logger)
	rpc.Handle(s, "authenticate", func(ctx context.Context, r keyHash) (identified, error) {
		hash, err := hashOf(r.Hash)
		if err != nil {
			return identified{}, err
		}
		identity, err := svc.Authenticate(ctx, hash)
		if errors.Is(err, sidecar.ErrUnknownKey) && identity.Decision.Rule != "" {
			err = nil // it is of no one
		}
		return identified{identity, identity.Decision.Reads}, err
	})
	rpc.HandleDone(s, "note-refused", svc.NoteRefused)
	handleStreamTokens(s, svc)
	rpc.Handle(s, "decide", func(ctx context.Context, r question) (decided, error) {
		d, err := svc.Decide(ctx, r.KeyID, r.ProjectID, r.Action)
		return decided{d, d.Reads, d.OwnerID}, err
	})
	rpc.Handle(s, "job", func(ctx context.Context, r jobRef) (sidecar.Job, error) { return svc.Job(ctx, r.JobID) })
	rpc.Handle(s, "jobs", func(ctx context.Context, q sidecar.JobQuery) (sidecar.JobPage, error) { return svc.Jobs(ctx, q) })
	rpc.Handle(s, "await-end", func(ctx context.Context, r jobRef) (ending, error) { return awaitEnd(ctx, svc, r.JobID) })
	rpc.Handle(s, "replay", func(ctx context.Context, r earlier) (*sidecar.Job, error) {
		return svc.Replay(ctx, r.KeyID, r.IdempotencyKey, r.Fingerprint)
	})
	rpc.Handle(s, "reserve", func(ctx context.Context, r reservation) (sidecar.Admission, error) {
		return svc.Reserve(ctx, r.Reservation)
	})
	rpc.HandleDone(s, "withdraw", func(ctx context.Context, r reservation) error { return svc.Withdraw(ctx, r.Reservation) })
	rpc.HandleDone(s, "renew", func(ctx context.Context, r renewal) error { return svc.Renew(ctx, r.JobID, r.After) })
	rpc.HandleDone(s, "commit", func(ctx context.Context, r jobRef) error { return svc.Commit(ctx, r.JobID) })
	rpc.HandleDone(s, "release", func(ctx context.Context, r jobRef) error { return svc.Release(ctx, r.JobID) })
	rpc.Handle(s, "create-project", func(ctx context.Context, r newProject) (api.Project, error) {
		return svc.CreateProject(ctx, r.UserID, r.Request)
	})
	rpc.Handle(s, "create-project-once", func(ctx context.Context, r projectOnce) (createdOnce, error) {
		made, replayed, err := svc.CreateProjectOnce(ctx, r.UserID, r.Request, r.Once)
		return createdOnce{made, replayed}, err
	})
	rpc.HandleProject(s, "project", svc.Project)
	rpc.Handle(s, "projects", func(ctx context.Context, r projectPage) (api.ProjectList, error) {
		return svc.Projects(ctx, r.UserID, r.After, r.Limit)
	})
	rpc.Handle(s, "project-jobs", func(ctx context.Context, r jobsBefore) (sidecar.JobPage, error) {
		return svc.ProjectJobs(ctx, r.ProjectID, r.Before)
	})
	rpc.HandleDone(s, "delete-project", func(ctx context.Context, r rpc.ProjectRef) error { return svc.DeleteProject(ctx, r.ProjectID) })
	handlePublishing(s, svc)
	handleGames(s, svc)
	handleWebhooks(s, svc)
	rpc.Handle(s, "changes", func(ctx context.Context, r place) (sidecar.Changes, error) { return svc.Changes(ctx, r.After) })
	rpc.Handle(s, "status", func(ctx context.Context, _ rpc.Nothing) (status, error) {
		h, err := svc.Health(ctx)
		s := status{PolicyRevision: h.PolicyRevision, PolicyProblem: h.PolicyProblem, Push: h.Push}
		if h.Writes != nil {
			s.WriteError = h.Writes.Error()
		}
		return s, err
	})
	rpc.HandleStream(s, "watch", func(w http.ResponseWriter, r *http.Request, _ rpc.Nothing) { watch(w, r, svc) })
	return s
}

// handleStreamTokens serves the calls about stream tokens.
func handleStreamTokens(s *rpc.Server, svc Service) {
	rpc.Handle(s, "grant-stream", func(ctx context.Context, r streamGrant) (time.Time, error) {
		hash, err := hashOf(r.Hash)
		if err != nil {
			return time.Time{}, err
		}
		return svc.GrantStream(ctx, hash, r.KeyID, r.JobID)
	})
	rpc.Handle(s, "stream-grant", func(ctx context.Context, r keyHash) (sidecar.StreamGrant, error) {
		hash, err := hashOf(r.Hash)
		if err != nil {
			return sidecar.StreamGrant{}, err
		}
		return svc.StreamGrant(ctx, hash)
	})
}

// hashOf returns the hash that came as bytes.
func hashOf(sent []byte) (hash mint.KeyHash, err error) {
	if len(sent) != len(hash) {
		return hash, fmt.Errorf("the hash of a key has %d bytes, not %d", len(hash), len(sent))
	}
	copy(hash[:], sent)
	return hash, nil
}

// handlePublishing serves the calls about a project's published game.
func handlePublishing(s *rpc.Server, svc Service) {
	rpc.Handle(s, "publish", func(ctx context.Context, r publish) (api.Publication, error) {
		return svc.Publish(ctx, r.ProjectID, r.JobID)
	})
	rpc.HandleDone(s, "unpublish", func(ctx context.Context, r rpc.ProjectRef) error { return svc.Unpublish(ctx, r.ProjectID) })
	rpc.HandleProject(s, "publication", svc.Publication)
	rpc.Handle(s, "overview", func(ctx context.Context, r span) (api.Overview, error) { return svc.Overview(ctx, r.ProjectID, r.Days) })
	rpc.Handle(s, "view", func(ctx context.Context, r look) (api.View, error) { return svc.View(ctx, r.ProjectID, r.Query) })
}

// awaitEnd waits for the job's end for endSlice, or until the server stops.
func awaitEnd(ctx context.Context, svc Service, jobID string) (ending, error) {
	slice, cancel := context.WithTimeout(ctx, endSlice)
	defer cancel()
	go func() {
		select {
		case <-peer.Stopping(ctx):
			cancel()
		case <-slice.Done():
		}
	}()
	job, err := svc.AwaitEnd(slice, jobID)
	if slice.Err() != nil && ctx.Err() == nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
		return ending{}, nil
	}
	return ending{Ended: err == nil, Job: job}, err
}

// watch writes a byte for each hint and each heartbeat.
func watch(w http.ResponseWriter, r *http.Request, svc Service) {
	hints, stop := svc.Watch()
	defer stop()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	out := http.NewResponseController(w)
	for {
		if err := out.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
			return
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return
		}
		if err := out.Flush(); err != nil {
			return
		}
		select {
		case <-hints:
		case <-beat.C:
		case <-r.Context().Done():
			return
		case <-peer.Stopping(r.Context()):
			return
		}
	}
}
