package fakeprovider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// Status answers with a status and an error of that code.
func Status(status int, code string) Answer {
	return func(p *Provider, w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(marshal(map[string]any{"error": map[string]any{
			"message": "the fake provider at " + p.URL + " refuses", "code": code,
		}}))
	}
}

// RateLimited answers 429 with Retry-After.
func RateLimited(seconds int) Answer {
	return func(_ *Provider, w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// Stalls says nothing, or after headers and a first word nothing more, until
// its client has left.
func Stalls(afterFirst bool) Answer {
	return func(p *Provider, w http.ResponseWriter, r *http.Request, q Request) {
		if afterFirst {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = w.Write(firstWord(q))
			_ = http.NewResponseController(w).Flush()
		}
		p.wait(r)
	}
}

// firstWord is how a stream begins on the wire of a request.
func firstWord(q Request) []byte {
	events, words := []event(nil), Turn{Text: "and so on"}
	switch {
	case strings.HasSuffix(q.Path, "/messages"):
		events = words.messageEvents(q)
	case strings.HasSuffix(q.Path, "/responses"):
		events = words.responseEvents(q)
	default:
		return fmt.Appendf(nil, "data: %s\n\n", endlessChunk)
	}
	var raw []byte
	for _, e := range events {
		raw = fmt.Appendf(raw, "event: %s\ndata: %s\n\n", e["type"], marshal(e))
		if strings.HasSuffix(text(e["type"]), "delta") {
			break
		}
	}
	return raw
}

const endlessChunk = `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"and "},"finish_reason":null}]}`

// Endless streams for ever.
func Endless() Answer {
	return func(p *Provider, w http.ResponseWriter, r *http.Request, _ Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := fmt.Fprintf(w, "data: %s\n\n", endlessChunk); err != nil {
				break
			}
		}
		p.wait(r)
	}
}

// Body answers 200 with a body of one's own.
func Body(contentType, body string) Answer {
	return func(_ *Provider, w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write([]byte(body))
	}
}

// Redirects sends the client elsewhere.
func Redirects(to string) Answer {
	return func(_ *Provider, w http.ResponseWriter, r *http.Request, _ Request) {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	}
}

// HangsUp cuts the connection without an answer.
func HangsUp() Answer {
	return func(*Provider, http.ResponseWriter, *http.Request, Request) { panic(http.ErrAbortHandler) }
}

// Refuses answers 400 with a body of one's own.
func Refuses(body string) Answer {
	return func(_ *Provider, w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(body))
	}
}

// Overloaded answers 529 as Anthropic does.
func Overloaded() Answer {
	return func(_ *Provider, w http.ResponseWriter, _ *http.Request, _ Request) {
		f := fault{status: 529, kind: "overloaded_error", message: "Overloaded"}
		f.write(w, Anthropic)
	}
}
