// Package foreign is a provider that was written from the public documents of three
// wires alone, knowing neither the engine's client nor the other fakes: it refuses what
// the documents say that servers refuse, and writes one game with whatever tools it is
// offered.
package foreign

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
)

// Server serves one wire under /v1: chat/completions, responses or messages.
type Server struct {
	Wire string // chat, responses or messages
	Key  string
	// Whole answers without a stream whatever is asked for, as small servers do.
	Whole bool

	mu      sync.Mutex // guards what follows
	refused []string
	turns   int
}

// Refused are the refusals so far, in the server's words.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.refused...)
}

// Turns is how many answers the longest conversation had.
func (s *Server) Turns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turns
}

// refusal is an error in the form of a wire.
type refusal struct {
	status        int
	kind, message string
	code          any
}

func invalid(message string, args ...any) *refusal {
	return &refusal{status: http.StatusBadRequest, kind: "invalid_request_error", message: fmt.Sprintf(message, args...)}
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	bad := s.admits(r)
	if bad == nil && json.NewDecoder(r.Body).Decode(&body) != nil {
		bad = invalid("We could not parse the JSON body of your request.")
	}
	var said talk
	if bad == nil {
		switch s.Wire {
		case "messages":
			said, bad = readMessages(body)
		case "responses":
			said, bad = readResponses(body)
		default:
			said, bad = readChat(body)
		}
	}
	if bad != nil {
		s.refuse(w, bad)
		return
	}
	s.mu.Lock()
	s.turns = max(s.turns, said.turns+1)
	s.mu.Unlock()
	live, _ := body["stream"].(bool)
	reply := said.next()
	name, _ := body["model"].(string)
	switch s.Wire {
	case "messages":
		writeMessages(w, name, reply, live && !s.Whole)
	case "responses":
		writeResponses(w, name, reply, live && !s.Whole)
	default:
		writeChat(w, name, reply, live && !s.Whole)
	}
}

// admits checks what stands around a request.
func (s *Server) admits(r *http.Request) *refusal {
	path := map[string]string{"chat": "/v1/chat/completions", "responses": "/v1/responses", "messages": "/v1/messages"}[s.Wire]
	key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if s.Wire == "messages" {
		key = r.Header.Get("x-api-key")
	}
	switch {
	case r.URL.Path != path:
		return &refusal{status: http.StatusNotFound, kind: "not_found_error", message: "Invalid URL (" + r.Method + " " + r.URL.Path + ")"}
	case r.Method != http.MethodPost:
		return &refusal{status: http.StatusMethodNotAllowed, kind: "invalid_request_error", message: "Not allowed to " + r.Method}
	case key != s.Key:
		return &refusal{status: http.StatusUnauthorized, kind: "authentication_error", message: "invalid key", code: "invalid_api_key"}
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return invalid("Unsupported content type: %q", r.Header.Get("Content-Type"))
	case s.Wire == "messages" && r.Header.Get("anthropic-version") != "2023-06-01":
		return invalid("anthropic-version: header is required")
	}
	return nil
}

func (s *Server) refuse(w http.ResponseWriter, bad *refusal) {
	s.mu.Lock()
	s.refused = append(s.refused, bad.message)
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(bad.status)
	var body any = map[string]any{"error": map[string]any{"message": bad.message, "type": bad.kind, "param": nil, "code": bad.code}}
	if s.Wire == "messages" {
		body = map[string]any{"type": "error", "error": map[string]any{"type": bad.kind, "message": bad.message}, "request_id": "req_011C"}
	}
	_ = json.NewEncoder(w).Encode(body) // the client may have left
}

// members refuses what a wire has no member for.
func members(of map[string]any, where string, known ...string) *refusal {
	for name := range of {
		found := false
		for _, k := range known {
			found = found || k == name
		}
		if !found {
			return invalid("Unknown parameter: '%s%s'.", where, name)
		}
	}
	return nil
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

func text(v any) string {
	t, _ := v.(string)
	return t
}

func number(v any) float64 {
	n, _ := v.(float64)
	return n
}

// events writes server-sent events.
type events struct{ w http.ResponseWriter }

func newEvents(w http.ResponseWriter) events {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	return events{w}
}

func (e events) send(name string, data any) {
	raw, err := json.Marshal(data)
	if err != nil {
		panic(err) // of what is written here
	}
	if name != "" {
		fmt.Fprintf(e.w, "event: %s\n", name)
	}
	fmt.Fprintf(e.w, "data: %s\n\n", raw)
	_ = http.NewResponseController(e.w).Flush()
}

func whole(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(data) // the client may have left
}

// pieces are a text in parts of some characters.
func pieces(s string) []string {
	const n = 900
	var out []string
	runes := []rune(s)
	for len(runes) > n {
		out, runes = append(out, string(runes[:n])), runes[n:]
	}
	return append(out, string(runes))
}
