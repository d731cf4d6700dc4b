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
	"slices"
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
	calls []string   // what each call for an answer showed as Authorization
	any   int        // requests of any kind
	names []string
}

// serveModels gives the project an egress at a socket. Calls for an answer get
// the one given.
func (e *engine) serveModels(answer http.HandlerFunc) *egress {
	e.t.Helper()
	path := filepath.Join(e.dir, "run", "egress.sock")
	return e.serveEgress("unix", path, nil, answer)
}

// serveModels gives the engine of another machine an egress that shows a
// certificate.
func (r *remote) serveModels(e *engine, cert tls.Certificate, answer http.HandlerFunc) *egress {
	e.t.Helper()
	return e.serveEgress("tcp", "127.0.0.1:0", &tls.Config{
		Certificates: []tls.Certificate{cert}, ClientCAs: r.pool(), ClientAuth: tls.RequireAndVerifyClientCert,
	}, answer)
}

// serveEgress listens for the engine's requests, with TLS if there is a config for it.
func (e *engine) serveEgress(network, address string, config *tls.Config, answer http.HandlerFunc) *egress {
	e.t.Helper()
	l, err := net.Listen(network, address)
	if err != nil {
		e.t.Fatal(err)
	}
	e.egress = &egress{address: address, answer: answer, came: make(chan struct{}, 1)}
	server := httptest.NewUnstartedServer(e.egress)
	server.Listener.Close()
	server.Listener = l
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that are refused
	if config == nil {
		server.Start()
	} else {
		e.egress.address = "https://" + l.Addr().String()
		server.TLS = config
		server.StartTLS()
	}
	e.t.Cleanup(server.Close)
	return e.egress
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
		g.calls = append(g.calls, r.Header.Get("Authorization"))
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

// asked returns the Authorization of each call for an answer.
func (g *egress) asked() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.calls)
}

// shown returns the names in the clients' certificates.
func (g *egress) shown() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.names)
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
