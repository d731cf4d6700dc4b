package contract

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"

	"github.com/svc-games/svc/api"
)

// chatModel is the one model behind the suite's egress.
const chatModel = "suite-model"

// asking is a request that wants the model.
func asking() map[string]any {
	return map[string]any{"settings": map[string]any{"model": chatModel, "reasoningLevel": api.ReasoningLow}}
}

// egress stands in for the engine proxy's, behind which models are.
type egress struct {
	address string // a socket's path, or an https URL
	answer  http.HandlerFunc
	came    chan struct{} // has an element once a call for an answer came

	mu    sync.Mutex // guards the following fields
	calls []modelCall
	any   int // requests of any kind
	names []string
}

// modelCall is a call for a model's answer as it arrived.
type modelCall struct{ authorization string }

// serveModels gives the project an egress at a socket. Calls for an answer get
// the one given.
func (e *engine) serveModels(answer http.HandlerFunc) *egress {
	e.t.Helper()
	g := newEgress(answer)
	g.address = filepath.Join(e.dir, "run", "egress.sock")
	l, err := net.Listen("unix", g.address)
	if err != nil {
		e.t.Fatal(err)
	}
	g.serve(e, l, nil)
	return g
}

// serveModels gives the engine of another machine an egress that shows a
// certificate.
func (r *remote) serveModels(e *engine, cert tls.Certificate, answer http.HandlerFunc) *egress {
	e.t.Helper()
	g := newEgress(answer)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		e.t.Fatal(err)
	}
	g.address = "https://" + l.Addr().String()
	g.serve(e, l, &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: r.pool(), ClientAuth: tls.RequireAndVerifyClientCert})
	return g
}

func newEgress(answer http.HandlerFunc) *egress {
	return &egress{answer: answer, came: make(chan struct{}, 1)}
}

func (g *egress) serve(e *engine, l net.Listener, config *tls.Config) {
	server := httptest.NewUnstartedServer(g)
	server.Listener.Close()
	server.Listener = l
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // of engines that ask nobody else
	if config == nil {
		server.Start()
	} else {
		server.TLS = config
		server.StartTLS()
	}
	e.t.Cleanup(server.Close)
	e.egress = g
}

// ServeHTTP lists the model, and answers for it.
func (g *egress) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	g.any++
	if r.TLS != nil {
		g.names = append(g.names, r.TLS.PeerCertificates[0].DNSNames...)
	}
	asks := r.Method == http.MethodPost
	if asks {
		g.calls = append(g.calls, modelCall{r.Header.Get("Authorization")})
	}
	g.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if !asks {
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": []any{map[string]any{"id": chatModel, "object": "model", "use": "chat"}}})
		return
	}
	_, _ = io.Copy(io.Discard, r.Body) // else the end of the connection isn't noticed
	select {
	case g.came <- struct{}{}:
	default:
	}
	g.answer(w, r)
}

// requests counts the requests of any kind.
func (g *egress) requests() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.any
}

// asked returns the calls for an answer.
func (g *egress) asked() []modelCall {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]modelCall(nil), g.calls...)
}

// shown returns the names in the certificates of those who asked.
func (g *egress) shown() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return append([]string(nil), g.names...)
}

// says answers each call with a text.
func says(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		_ = json.NewEncoder(w).Encode(map[string]any{"object": "chat.completion", "model": chatModel, "choices": []any{
			map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}},
		}})
	}
}

// refuses answers each call with a refusal of the egress.
func refuses(status int, reason string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(map[string]string{"error": "The suite refuses.", "reason": reason})
	}
}
