package egress

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
)

// maxPerToken bounds, in bytes, what a provider sends for one token; in a
// stream each has an envelope of its own.
const maxPerToken = 1 << 10

// errIsError: the provider says within a 200 that it failed.
var errIsError = errors.New("the answer is an error")

// completion holds the members of an answer, or of a chunk of one, that are
// passed on. What the model wrote is passed on as it is.
type completion struct {
	ID      string          `json:"id,omitempty"`
	Object  string          `json:"object,omitempty"`
	Created int64           `json:"created,omitempty"`
	Model   string          `json:"model"`
	Choices json.RawMessage `json:"choices"`
	Usage   *usage          `json:"usage,omitempty"`
}

// answered is what a provider sends.
type answered struct {
	completion
	Error json.RawMessage `json:"error"`
}

func (m *chatMeter) maxAnswer() int64 { return maxPerToken*m.most + 1<<20 }

// read takes an answer or a chunk into account and returns what is passed on.
func (m *chatMeter) read(raw []byte) (out []byte, finished bool, err error) {
	var a answered
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, false, fmt.Errorf("reading answer: %w", noContent(err))
	}
	if len(a.Error) > 0 && string(a.Error) != "null" {
		return nil, false, errIsError
	}
	if a.Usage != nil {
		m.said = a.Usage
	}
	if len(a.Choices) == 0 || a.Choices[0] != '[' {
		a.Choices = json.RawMessage("[]")
	}
	finished = m.count(a.Choices)
	a.Model = m.model
	out, err = json.Marshal(a.completion)
	return out, finished, err
}

// noContent is an error of decoding without what was decoded.
func noContent(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("no JSON at byte %d", syntax.Offset)
	}
	return errors.New("unexpected JSON")
}

// readWhole takes a whole answer into account.
func (m *chatMeter) readWhole(raw []byte) ([]byte, []contract.Unit, error) {
	out, _, err := m.read(raw)
	switch {
	case errors.Is(err, errIsError):
		return nil, []contract.Unit{}, err
	case err != nil:
		return nil, nil, err
	}
	return out, m.total(), nil
}

// relayStream passes a stream on, chunk by chunk. Its end is held back until
// the call is charged.
func (m *chatMeter) relayStream(w http.ResponseWriter, answer *http.Response) ([]contract.Unit, *refusal, error) {
	if mediaType(answer) != "text/event-stream" {
		return []contract.Unit{}, failed(errNoAnswer), nil
	}
	body := bounded.Reader(answer.Body, m.maxAnswer(), errTooLong)
	out := &chunks{w: w, flush: http.NewResponseController(w).Flush}
	finished, err := m.follow(out, sse.NewReader(body))
	switch {
	case errors.Is(err, errEngineLeft):
		return nil, nil, err
	case errors.Is(err, errIsError) && !out.started:
		return []contract.Unit{}, failed(err), nil
	case err != nil && !out.started:
		return nil, asRefusal(err), nil
	case err != nil:
		out.end(asRefusal(err).body())
		return nil, nil, err
	case !finished:
		out.end(failed(nil).body())
		return nil, nil, io.ErrUnexpectedEOF
	}
	out.end([]byte("[DONE]"))
	return m.total(), nil, nil
}

var errEngineLeft = errors.New("the engine left")

// follow passes chunks on until the stream's end, and reports whether the
// answer is complete. Some providers end without saying so.
func (m *chatMeter) follow(out *chunks, in *sse.Reader) (finished bool, err error) {
	for {
		event, err := in.Next()
		if errors.Is(err, io.EOF) {
			return finished, nil
		}
		if err != nil {
			return false, err
		}
		if bytes.Equal(bytes.TrimSpace(event.Data), []byte("[DONE]")) {
			return true, nil
		}
		chunk, last, err := m.read(event.Data)
		if err != nil {
			return false, err
		}
		finished = finished || last
		if err := out.send(chunk); err != nil {
			return false, errors.Join(errEngineLeft, err)
		}
	}
}

// chunks is the stream to the engine.
type chunks struct {
	w       http.ResponseWriter
	flush   func() error
	started bool
}

func (c *chunks) send(data []byte) error {
	c.start()
	if _, err := c.w.Write(event(data)); err != nil {
		return err
	}
	return c.flush()
}

func (c *chunks) start() {
	if !c.started {
		c.started = true
		sse.SetHeaders(c.w.Header())
		c.w.WriteHeader(http.StatusOK)
	}
}

func (c *chunks) end(data []byte) {
	c.start()
	holdEnd(c.w, event(data))
}

func event(data []byte) []byte { return fmt.Appendf(nil, "data: %s\n\n", data) }
