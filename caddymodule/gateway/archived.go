package gateway

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/sse"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/peer"
)

// restFromArchive serves what follows from the archive, of which nothing says when it
// returns if it can't be reached: the client has a good stream, and keeps it.
func (s *serving) restFromArchive(ctx context.Context, q streamed) error {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		r := (&http.Request{Method: http.MethodGet, Header: http.Header{"Last-Event-Id": {strconv.FormatUint(s.after, 10)}}}).WithContext(ctx)
		err := s.archivedEvents(s.out, r, q.JobID)
		last, broken := s.out.Resume()
		if err != nil && !errors.Is(err, engineproxy.ErrUnreachable) || err == nil && !broken {
			return err
		}
		if last > s.after {
			s.after, pause = last, retryFirst
		}
		if waiting(s.out) != nil || !peer.Sleep(ctx, pause) {
			return nil // the client left
		}
	}
}

func (s *serving) archivedEvents(w http.ResponseWriter, r *http.Request, jobID string) error {
	log, err := s.Engines.Events(r.Context(), jobID)
	if errors.Is(err, engineproxy.ErrNotArchived) {
		return &answers.Error{Status: http.StatusNotFound, Message: "The job's events are no longer kept."}
	}
	if err != nil {
		return answers.Unavailable("The job's events can't be read right now.", retrySoon, err)
	}
	return sse.Serve(w, r, log, sse.Options{})
}
