// Package fakeprovider is an OpenAI-compatible server that answers by script,
// for tests of whoever calls models: it behaves like the known ones, and has
// their faults.
package fakeprovider

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// Provider answers each request with the next of its answers, and the last
// for ever.
type Provider struct {
	URL string // base address, with /v1
	Key string // what it asks for; "" lets everyone in

	mu       sync.Mutex // guards what follows
	answers  []Answer
	requests []Request
	left     chan struct{} // closed when the client of a hanging answer has left
}

// Request is a request as it arrived.
type Request struct {
	Path   string
	Header http.Header
	Body   map[string]any
}

// Answer writes the answer to a request.
type Answer func(p *Provider, w http.ResponseWriter, r *http.Request, q Request)

// New starts a provider that stops at the end of the test.
func New(t testing.TB, answers ...Answer) *Provider {
	p := &Provider{answers: answers, left: make(chan struct{})}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.URL = server.URL + "/v1"
	return p
}

// Answer replaces the answers to come.
func (p *Provider) Answer(answers ...Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answers = answers
}

// Requests returns what arrived so far.
func (p *Provider) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]Request(nil), p.requests...)
}

// Left is closed once the client of a Stalls or Endless answer has gone.
func (p *Provider) Left() <-chan struct{} { return p.left }

// ServeHTTP takes the next answer.
func (p *Provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.opens(r) {
		http.Error(w, `{"error":{"message":"Incorrect API key provided: `+r.Header.Get("Authorization")+`"}}`, http.StatusUnauthorized)
		return
	}
	q := Request{Path: r.URL.Path, Header: r.Header.Clone()}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &q.Body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	p.mu.Lock()
	p.requests = append(p.requests, q)
	if len(p.answers) == 0 {
		p.mu.Unlock()
		http.Error(w, "no answer is scripted", http.StatusTeapot)
		return
	}
	answer := p.answers[0]
	if len(p.answers) > 1 {
		p.answers = p.answers[1:]
	}
	p.mu.Unlock()
	// What providers add and no one else shall see.
	w.Header().Set("X-Provider-Region", "fake-1")
	w.Header().Set("Set-Cookie", "provider=1")
	answer(p, w, r, q)
}

// opens reports whether a request shows the key, in the way of its wire.
func (p *Provider) opens(r *http.Request) bool {
	if p.Key == "" {
		return true
	}
	if strings.HasSuffix(r.URL.Path, "/messages") {
		return r.Header.Get("X-Api-Key") == p.Key && r.Header.Get("Anthropic-Version") != "" && r.Header.Get("Authorization") == ""
	}
	return r.Header.Get("Authorization") == "Bearer "+p.Key
}

// wait holds an answer until its client has left.
func (p *Provider) wait(r *http.Request) {
	<-r.Context().Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.left:
	default:
		close(p.left)
	}
}
