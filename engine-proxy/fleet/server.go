package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/state"
	"github.com/svc-games/svc/peer"
)

// enginesList is the body of GET /engines.
type enginesList struct {
	Engines []engineproxy.Info `json:"engines"`
}

// engineLog is the body of GET /engines/{project}/logs.
type engineLog struct {
	Log string `json:"log"` // untrusted text
}

// Handler serves operators: GET /engines lists the engines, GET
// /engines/{project} shows one, and GET …/logs?bytes= what it wrote; POST
// …/stop?force= stops it, and POST …/reset forgets its failures. It
// authenticates nobody: it belongs behind a peer.Server.
func (p *Proxy) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /engines", func(w http.ResponseWriter, r *http.Request) {
		list, err := p.List(r.Context())
		p.answer(w, enginesList{Engines: list}, err)
	})
	mux.HandleFunc("GET /engines/{project}", p.project(func(w http.ResponseWriter, r *http.Request, project string) {
		details, err := p.Show(r.Context(), project)
		p.answer(w, details, err)
	}))
	mux.HandleFunc("GET /engines/{project}/logs", p.project(func(w http.ResponseWriter, r *http.Request, project string) {
		limit, err := strconv.ParseInt(r.URL.Query().Get("bytes"), 10, 64)
		if err != nil || limit < 1 {
			p.refuse(w, http.StatusBadRequest, "bytes must be a number of at least 1.", nil)
			return
		}
		text, err := p.Logs(r.Context(), project, limit)
		p.answer(w, engineLog{Log: string(text)}, err)
	}))
	mux.HandleFunc("POST /engines/{project}/stop", p.project(func(w http.ResponseWriter, r *http.Request, project string) {
		force, err := strconv.ParseBool(r.URL.Query().Get("force"))
		if err != nil && r.URL.Query().Has("force") {
			p.refuse(w, http.StatusBadRequest, "force must be true or false.", nil)
			return
		}
		p.answer(w, nil, p.Stop(r.Context(), project, force))
	}))
	mux.HandleFunc("POST /engines/{project}/reset", p.project(func(w http.ResponseWriter, r *http.Request, project string) {
		p.answer(w, nil, p.Reset(r.Context(), project))
	}))
	return mux
}

// project reads the project of the path.
func (p *Proxy) project(next func(w http.ResponseWriter, r *http.Request, project string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		project := r.PathValue("project")
		if err := api.CheckProjectID(project); err != nil {
			p.refuse(w, http.StatusBadRequest, "The project id must be 24 lower-case hexadecimal characters.", nil)
			return
		}
		next(w, r, project)
	}
}

// answer writes body as JSON, or 204 when there is none, or what err means.
func (p *Proxy) answer(w http.ResponseWriter, body any, err error) {
	switch {
	case errors.Is(err, engineproxy.ErrBusy):
		p.refuse(w, http.StatusConflict, "The engine works.", nil)
	case errors.Is(err, engineproxy.ErrAbsent):
		p.refuse(w, http.StatusNotFound, "No engine of this project is known.", nil)
	case err != nil:
		p.refuse(w, http.StatusServiceUnavailable, "The engine proxy can't do this right now.", err)
	case body == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(body) // the client has left
	}
}

func (p *Proxy) refuse(w http.ResponseWriter, status int, message string, cause error) {
	if cause != nil {
		p.log.Warn("operator's request failed", zap.Error(cause))
	}
	(&api.Error{Status: status, Message: message}).WriteTo(w)
}

// serves is what is served on the data directory's socket.
func (p *Proxy) serves() http.Handler {
	if p.opts.Serve == nil {
		return p.Handler()
	}
	return p.opts.Serve(p, p.Handler())
}

// listen begins to listen there. Who asks waits until the gate is opened.
func (p *Proxy) listen() error {
	p.gate = peer.NewGate()
	server, err := peer.Start(peer.ServerOptions{
		Address: peer.Address{Network: "unix", Name: filepath.Join(p.layout.Root, state.SocketName)},
		Handler: p.gate, TakeOver: p.opts.TakeOver, Logger: p.log,
	})
	if err != nil {
		return fmt.Errorf("serving operators: %w", err)
	}
	p.server = server
	return nil
}

// takenOver reports whether another process has our socket.
func (p *Proxy) takenOver() bool {
	if p.server == nil {
		return false
	}
	select {
	case <-p.server.TakenOver():
		return true
	default:
		return false
	}
}
