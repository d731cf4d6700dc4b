// Package engine is the reference engine's server: one process for one
// project, behind one Unix socket or one port with mutual TLS, speaking the
// engine contract. It holds nothing but the project's volume and what proves
// its instance.
package engine

import (
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine/feed"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/revs"
)

// Config is what an engine is started with.
type Config struct {
	Volume     string // folder that holds all of the project's state
	Socket     string // path of the Unix socket to listen on, unless TLS is set
	Listen     string // host:port to listen at with TLS
	TLS        *tls.Config
	ProjectID  string
	InstanceID string // names this start of the engine
	Token      string // what every request must carry
	Generator  gen.Generator
	// StartDelay keeps the engine from becoming ready for a while; a test aid.
	StartDelay time.Duration
	// StartFile is a file of the volume that it likewise waits for; default none.
	StartFile string
	// TimeLimit is how long a job may work; default by its reasoning level.
	TimeLimit time.Duration
	Version   string
	Log       *zap.Logger
	// Limits bound the volume.
	Limits jobs.Limits
	// Heartbeat is the longest silence on the feed; default 10 s.
	Heartbeat time.Duration
	// Now is the clock; default time.Now.
	Now func() time.Time
	// Wrap, when it is set, stands before the answers of an authenticated call:
	// a test aid for engines that misbehave.
	Wrap func(http.Handler) http.Handler
}

const defaultHeartbeat = 10 * time.Second

// maxReaders is how many answers are made at a time that hold files of a game, all of
// them for some: others wait.
const maxReaders = 4

// server answers the requests of the contract.
type server struct {
	cfg       Config
	tokenHash [sha256.Size]byte
	streams   atomic.Int64  // open event streams
	readers   chan struct{} // holds a token for each answer that is made of a game's files
	// ready holds the jobs once they are recovered; until then every request
	// but readyz's is a 503.
	ready atomic.Pointer[jobs.Manager]
}

func newServer(cfg Config) *server {
	if cfg.Heartbeat <= 0 {
		cfg.Heartbeat = defaultHeartbeat
	}
	return &server{cfg: cfg, tokenHash: sha256.Sum256([]byte(cfg.Token)), readers: make(chan struct{}, maxReaders)}
}

// handler returns the engine's routes behind the check of the token.
func (s *server) handler() http.Handler {
	routes := []struct {
		method, path string
		answer       answerFunc
	}{
		{http.MethodPost, "/v1/generate", s.submit},
		{http.MethodDelete, "/v1/generate/{id}", s.cancel},
		{http.MethodGet, "/v1/generate/{id}/status", s.status},
		{http.MethodGet, "/v1/generate/{id}/events", s.events},
		{http.MethodGet, "/v1/generate/{id}/files", s.files},
		{http.MethodGet, contract.PathReady, s.readyz},
		{http.MethodGet, contract.PathActivity, s.activity},
		{http.MethodGet, contract.PathJobs, s.list},
		{http.MethodGet, contract.PathJobs + "/{id}/record", s.storedRecord},
		{http.MethodGet, contract.PathJobs + "/{id}/events", s.storedEvents},
		{http.MethodGet, contract.PathJobs + "/{id}/files", s.storedFiles},
		{http.MethodGet, contract.PathFeed, s.feed},
		{http.MethodPost, contract.PathAck, s.ack},
		{http.MethodGet, contract.PathSnapshot, s.snapshot},
		{http.MethodGet, contract.PathWorkspace, s.reading(s.workspace)},
		{http.MethodGet, contract.PathFile, s.reading(s.file)},
		{http.MethodPut, contract.PathFile, s.saveFile},
		{http.MethodDelete, contract.PathFile, s.saveFile},
		{http.MethodGet, contract.PathRevisions, s.revisions},
		{http.MethodGet, contract.PathRevisions + "/{rev}/zip", s.reading(s.revisionZIP)},
		{http.MethodGet, contract.PathRevisions + "/{rev}/project", s.reading(s.projectZIP)},
		{http.MethodPost, contract.PathRevisions + "/{rev}/keep", s.keepRevision},
		{http.MethodPost, contract.PathImport, s.reading(s.importZIP)},
		{http.MethodGet, contract.PathDiff, s.reading(s.diff)},
		{http.MethodGet, contract.PathSearch, s.reading(s.search)},
		{http.MethodPost, contract.PathCheck, s.reading(s.check)},
		{http.MethodPost, contract.PathMend, s.reading(s.mend)},
		{http.MethodPut, contract.PathLock, s.reading(s.lock)},
		{http.MethodDelete, contract.PathLock, s.reading(s.lock)},
		{http.MethodPost, contract.PathRestore, s.restore},
		{http.MethodPost, contract.PathQueue, s.reorder},
		{http.MethodPost, contract.PathJobs + "/{id}/stop", s.stopAfterStep},
		{http.MethodPost, contract.PathFence, s.fence},
		{http.MethodPost, contract.PathDrain, s.drain},
		{http.MethodPost, contract.PathUndrain, s.undrain},
	}
	mux := http.NewServeMux()
	methods := map[string][]string{}
	for _, route := range routes {
		mux.Handle(route.method+" "+route.path, s.whenReady(route.answer))
		methods[route.path] = append(methods[route.path], route.method)
	}
	for path, allowed := range methods {
		mux.Handle(path, refusal(answers.Error{
			Status: http.StatusMethodNotAllowed, Message: "This route does not allow the method.",
			Header: http.Header{"Allow": {strings.Join(allowed, ", ")}},
		}))
	}
	mux.Handle("/", refusal(answers.Error{Status: http.StatusNotFound, Message: "There is no such route."}))
	if s.cfg.Wrap != nil {
		return s.authorized(s.cfg.Wrap(mux))
	}
	return s.authorized(mux)
}

func refusal(e answers.Error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { e.WriteTo(w) })
}

// authorized puts the instance's id on every answer and refuses requests
// without the instance's token.
func (s *server) authorized(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(contract.HeaderInstance, s.cfg.InstanceID)
		token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		hash := sha256.Sum256([]byte(token))
		if subtle.ConstantTimeCompare(hash[:], s.tokenHash[:]) != 1 || !bearer {
			(&answers.Error{Status: http.StatusUnauthorized, Message: "This is not the instance's token.", Reason: api.ReasonInvalid}).WriteTo(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answerFunc answers a request once the jobs are recovered. It may return what
// keeps it from answering, if it has not begun to.
type answerFunc func(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error

// reading has an answer wait until there is room for what it reads.
func (s *server) reading(next answerFunc) answerFunc {
	return func(m *jobs.Manager, w http.ResponseWriter, r *http.Request) error {
		select {
		case s.readers <- struct{}{}:
		case <-r.Context().Done():
			return r.Context().Err()
		}
		defer func() { <-s.readers }()
		return next(m, w, r)
	}
}

func (s *server) whenReady(answer answerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m := s.ready.Load()
		if m == nil {
			answers.Unavailable("The engine is not ready yet.", time.Second, nil).WriteTo(w)
			return
		}
		if err := answer(m, w, r); err != nil {
			s.refuse(w, r, err)
		}
	})
}

// refuse answers with what err means to the caller; what it can't mean to
// anyone is a fault of ours and logged.
func (s *server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if known, ok := errors.AsType[*answers.Error](err); ok {
		known.WriteTo(w)
		return
	}
	for _, k := range refusals {
		if errors.Is(err, k.err) {
			if k.fault {
				s.cfg.Log.Error("request refused", zap.String("route", r.Pattern), zap.Error(err))
			}
			(&answers.Error{Status: k.status, Message: k.message, RetryAfter: k.retryAfter}).WriteTo(w)
			return
		}
	}
	if r.Context().Err() != nil {
		return // the client has left
	}
	s.cfg.Log.Error("request failed", zap.String("route", r.Pattern), zap.Error(err))
	(&answers.Error{Status: http.StatusInternalServerError, Message: "The engine could not do this."}).WriteTo(w)
}

// abort breaks the connection, so that an answer that could not be finished is
// not taken for a whole one.
func (s *server) abort(r *http.Request, err error) {
	if r.Context().Err() == nil {
		s.cfg.Log.Error("answer broken off", zap.String("route", r.Pattern), zap.Error(err))
	}
	panic(http.ErrAbortHandler)
}

// refusals are the errors that mean something to the caller. Those that are a
// fault are logged too.
var refusals = []struct {
	err        error
	status     int
	message    string
	retryAfter time.Duration
	fault      bool
}{
	{err: jobs.ErrUnknown, status: http.StatusNotFound, message: "There is no such job in this project."},
	{err: jobs.ErrNoFiles, status: http.StatusConflict, message: "The job has no files: it has not ended, or it was cancelled."},
	{err: jobs.ErrDropped, status: http.StatusGone, message: "The job's files made room for newer ones; the archive has them."},
	{err: jobs.ErrFenced, status: http.StatusConflict, message: "This job id is never accepted."},
	{err: jobs.ErrDraining, status: http.StatusServiceUnavailable, message: "The engine is about to stop.", retryAfter: time.Second},
	{err: jobs.ErrQueueFull, status: http.StatusServiceUnavailable, message: "The project's queue is full.", retryAfter: 10 * time.Second},
	{err: jobs.ErrNotStored, status: http.StatusServiceUnavailable, message: "The project's volume can't store the job.", retryAfter: 10 * time.Second, fault: true},
	{err: jobs.ErrWorking, status: http.StatusConflict, message: "A job works on the game: save when it has ended, or stop it."},
	{err: jobs.ErrOtherQueue, status: http.StatusConflict, message: "Other jobs wait by now: look at the queue and try again."},
	{err: jobs.ErrOldHead, status: http.StatusConflict, message: "The game was changed meanwhile: look at its versions and try again."},
	{err: jobs.ErrNotEmpty, status: http.StatusConflict, message: "The project has files already: nothing was copied."},
	{err: jobs.ErrImport, status: http.StatusUnprocessableEntity, message: "This is not the ZIP of a project."},
	{err: jobs.ErrNoFile, status: http.StatusNotFound, message: "The game has no such file."},
	{err: jobs.ErrPath, status: http.StatusUnprocessableEntity, message: "This can't be the name of a file of the game."},
	{err: jobs.ErrMade, status: http.StatusUnprocessableEntity, message: "This file is made of the sources in src/: change those."},
	{err: jobs.ErrLocked, status: http.StatusConflict, message: "What could be mended is in a file that is locked: unlock it first."},
	{err: jobs.ErrLocks, status: http.StatusConflict, message: "No more files can be locked: unlock one first."},
	{err: jobs.ErrChecking, status: http.StatusConflict, message: "A version is being played already: wait until that has ended."},
	{err: jobs.ErrNoJudge, status: http.StatusNotImplemented, message: "This engine can't play games by itself."},
	{err: jobs.ErrFull, status: http.StatusInsufficientStorage, message: "The project's volume is full."},
	{err: revs.ErrMarked, status: http.StatusConflict, message: "So many versions are kept already that there would be no room for new ones: let one go first."},
	{err: revs.ErrUnknown, status: http.StatusNotFound, message: "The project has no such revision."},
	{err: revs.ErrDamaged, status: http.StatusInternalServerError, message: "The revision can't be read.", fault: true},
	{err: jobs.ErrOtherFeed, status: http.StatusConflict, message: "This volume has another feed."},
	{err: feed.ErrForgotten, status: http.StatusGone, message: "The feed no longer has these records."},
	{err: feed.ErrAhead, status: http.StatusConflict, message: "The feed has no record of this number."},
}

func writeJSON(w http.ResponseWriter, status int, body any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("encoding answer: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // the client may have left
	return nil
}

// answerWith answers with what was found or done, unless err says why it was not.
func answerWith(w http.ResponseWriter, body any, err error) error {
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, body)
}

func readJSON(w http.ResponseWriter, r *http.Request, body any) error {
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(body); err != nil {
		return answers.BadRequest("The body is not the expected JSON.")
	}
	return nil
}
