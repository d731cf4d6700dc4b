package engine

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/jobs"
)

const ndjson = "application/x-ndjson"

func (s *server) readyz(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, contract.Ready{
		InstanceID: s.cfg.InstanceID, ProjectID: s.cfg.ProjectID, FeedID: m.FeedID(), Version: s.cfg.Version,
	})
}

func (s *server) activity(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	return s.writeActivity(w, http.StatusOK, m.Activity())
}

func (s *server) writeActivity(w http.ResponseWriter, status int, a contract.Activity) error {
	a.OpenStreams = int(s.streams.Load())
	return writeJSON(w, status, a)
}

func (s *server) list(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	return writeJSON(w, http.StatusOK, m.List())
}

func (s *server) storedRecord(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	record, err := m.Stored(r.PathValue("id"))
	return answerWith(w, record, err)
}

// storedEvents answers with every stored event, one line each.
func (s *server) storedEvents(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	log, err := m.Events(r.PathValue("id"))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", ndjson)
	err = log.Stored(func(data []byte) error {
		_, err := w.Write(append(data[:len(data):len(data)], '\n'))
		return err
	})
	if err != nil {
		s.abort(r, err)
	}
	return nil
}

func (s *server) storedFiles(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	return serveFiles(m, w, r, r.PathValue("id"), true)
}

// snapshot answers with the game as it is.
func (s *server) snapshot(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	zip, err := m.Snapshot()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/zip")
	_, _ = w.Write(zip) // the reader may have left
	return nil
}

// feed answers with the feed's records above ?after=, and goes on with those
// to come until the reader leaves. An empty line now and then shows that the
// engine is alive.
func (s *server) feed(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	after, err := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	if err != nil {
		return answers.BadRequest("after must be the number of a feed record, or 0.")
	}
	lines, changed, err := m.Feed(after)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", ndjson)
	flush := http.NewResponseController(w).Flush
	beat := time.NewTicker(s.cfg.Heartbeat)
	defer beat.Stop()
	for {
		for _, line := range lines {
			if _, err := w.Write(append(line[:len(line):len(line)], '\n')); err != nil {
				return nil // the reader left
			}
			after++
		}
		if err := flush(); err != nil {
			return nil
		}
		if len(lines) == 0 {
			select {
			case <-r.Context().Done():
				return nil
			case <-beat.C:
				if _, err := w.Write([]byte("\n")); err != nil {
					return nil
				}
				continue
			case <-changed:
			}
		}
		if lines, changed, err = m.Feed(after); err != nil {
			s.abort(r, err)
		}
	}
}

func (s *server) ack(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	var ack contract.Ack
	if err := readJSON(w, r, &ack); err != nil {
		return err
	}
	if err := m.Ack(ack); err != nil {
		return err
	}
	return s.writeActivity(w, http.StatusOK, m.Activity())
}

func (s *server) fence(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
	var req contract.FenceRequest
	if err := readJSON(w, r, &req); err != nil {
		return err
	}
	if !api.ValidJobID(req.JobID) {
		return answers.BadRequest("jobId must be a job id.")
	}
	verdict, err := m.Fence(req.JobID)
	return answerWith(w, contract.FenceResponse{Verdict: verdict}, err)
}

func (s *server) drain(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	activity, err := m.Drain()
	if errors.Is(err, jobs.ErrBusy) {
		return s.writeActivity(w, http.StatusConflict, activity)
	}
	if err != nil {
		return err
	}
	return s.writeActivity(w, http.StatusOK, activity)
}

func (s *server) undrain(m *jobs.Manager, w http.ResponseWriter, _ *http.Request) error {
	return s.writeActivity(w, http.StatusOK, m.Undrain())
}
