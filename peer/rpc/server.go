package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/span"
)

// statusFailed marks an error that the called function returned; any other
// status but 200 means that it was not called.
const statusFailed = http.StatusUnprocessableEntity

// Server serves calls below one path, which names the version of them all.
type Server struct {
	mux    *http.ServeMux
	path   string
	codes  Codes
	logger *zap.Logger
}

// NewServer returns a server without calls. path is like "/sidecar/v1".
func NewServer(path string, codes Codes, logger *zap.Logger) *Server {
	return &Server{mux: http.NewServeMux(), path: path, codes: codes, logger: logger}
}

// Handle serves a call. The context of do ends when the caller has left.
func Handle[Req, Res any](s *Server, name string, do func(context.Context, Req) (Res, error)) {
	HandleStream(s, name, func(w http.ResponseWriter, r *http.Request, req Req) {
		res, err := do(r.Context(), req)
		if err != nil {
			span.Fail(r.Context(), err)
			s.fail(w, err)
			return
		}
		s.write(w, http.StatusOK, res)
	})
}

// Nothing is the request of a call that asks for all there is, or the answer of one that
// does something.
type Nothing struct{}

// ProjectRef is the request of a call that names a project alone.
type ProjectRef struct {
	ProjectID string `json:"projectId"`
}

// HandleProject is Handle for a call that names a project alone.
func HandleProject[Res any](s *Server, name string, do func(ctx context.Context, projectID string) (Res, error)) {
	Handle(s, name, func(ctx context.Context, req ProjectRef) (Res, error) { return do(ctx, req.ProjectID) })
}

// HandleDone is Handle for a call that has no result.
func HandleDone[Req any](s *Server, name string, do func(context.Context, Req) error) {
	Handle(s, name, func(ctx context.Context, req Req) (Nothing, error) { return Nothing{}, do(ctx, req) })
}

// HandleStream serves a call whose answer has no end: do writes it until the
// request's context ends.
func HandleStream[Req any](s *Server, name string, do func(http.ResponseWriter, *http.Request, Req)) {
	part, _, _ := strings.Cut(strings.TrimPrefix(s.path, "/"), "/")
	s.mux.HandleFunc("POST "+s.path+"/"+name, func(w http.ResponseWriter, r *http.Request) {
		var req Req
		if err := decode(r.Body, &req); err != nil {
			s.write(w, http.StatusBadRequest, Failure{Message: fmt.Sprintf("%s: the request: %v", name, err)})
			return
		}
		ctx, end := span.Start(peer.ReadRequest(r.Context(), r.Header), part, name)
		defer end(nil)
		do(w, r.WithContext(ctx), req)
	})
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// fail tells the caller of an error, who handles it or logs it.
func (s *Server) fail(w http.ResponseWriter, err error) {
	f := Failure{Message: err.Error()}
	var detail any
	if f.Codes, detail = s.codes.Encode(err); detail != nil {
		raw, err := json.Marshal(detail)
		if err != nil {
			s.logger.Error("encoding the detail of an error failed", zap.Error(err))
		}
		f.Detail = raw
	}
	s.write(w, statusFailed, f)
}

func (s *Server) write(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		s.logger.Error("encoding an answer failed", zap.Error(err))
		http.Error(w, "the answer can't be encoded", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller is gone if it fails
}
