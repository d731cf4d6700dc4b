package egress

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/sse"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
)

var errEngineLeft = errors.New("the engine left")

// maxHeld bounds, in bytes, what of a stream is held back before the model writes.
const maxHeld = 64 << 10

// wire reads the answers of one protocol, and counts what is in them. What the
// model wrote is passed on as it is.
type wire interface {
	// whole takes a whole answer into account and returns what is passed on.
	whole(raw []byte) ([]byte, error)
	// next takes an event of a stream into account, and returns it as it is passed
	// on, nil for not at all; last when with it the answer is complete.
	next(rec sse.Record) (out []byte, last bool, err error)
	// end is what a stream that just ends is completed with; nil when it broke off.
	end() []byte
	// broken is the last event of a stream that broke off.
	broken(r *refusal) []byte
}

// relayOf passes on what a wire reads.
func relayOf(m *meter, of wire, live bool) relay {
	if live {
		return func(w http.ResponseWriter, answer *http.Response) ([]contract.Unit, *refusal, error) {
			return m.relayStream(w, answer, of)
		}
	}
	return wholeJSON(m.maxAnswer(), func(raw []byte) ([]byte, []contract.Unit, error) {
		out, err := of.whole(raw)
		switch {
		case isSaid(err):
			return nil, []contract.Unit{}, err
		case err != nil:
			return nil, nil, err
		}
		return out, m.total(), nil
	})
}

// relayStream passes a stream on, event by event. Its beginning is held back until
// the model writes, so that a provider that can't go on by then is a refusal with its
// reason; its end until the call is charged.
func (m *meter) relayStream(w http.ResponseWriter, answer *http.Response, of wire) ([]contract.Unit, *refusal, error) {
	switch mediaType(answer) {
	case "text/event-stream":
	case "application/json": // a server that streams nothing
		return m.relayUnstreamed(w, answer, of)
	default:
		return []contract.Unit{}, failed(errNoAnswer), nil
	}
	body := bounded.Reader(answer.Body, m.maxAnswer(), errTooLong)
	out := &chunks{w: w, flush: http.NewResponseController(w).Flush}
	end, err := m.follow(out, sse.NewReaderOf(body, int(m.maxAnswer())), of, beginOf(answer))
	switch {
	case errors.Is(err, errEngineLeft):
		return nil, nil, err
	case err == nil && end == nil:
		err = io.ErrUnexpectedEOF
	case err == nil:
		out.end(end)
		return m.total(), nil, nil
	}
	cost := m.brokenOff(err)
	if !out.started {
		return cost, asRefusal(err), nil
	}
	out.end(of.broken(asRefusal(err).paid(cost)))
	return cost, nil, err
}

// brokenOff is what a stream cost that ended with an error: nothing when its provider
// said so and had written nothing, what the provider says that it took, else the limit.
func (m *meter) brokenOff(err error) []contract.Unit {
	switch {
	case isSaid(err) && m.said != nil && m.said.credible():
		return m.total()
	case isSaid(err) && !m.began:
		return []contract.Unit{}
	}
	return nil
}

// relayUnstreamed passes an answer on that came whole although a stream was asked for.
// What can't be read is not paid.
func (m *meter) relayUnstreamed(w http.ResponseWriter, answer *http.Response, of wire) ([]contract.Unit, *refusal, error) {
	raw, err := io.ReadAll(bounded.Reader(answer.Body, m.maxAnswer(), errTooLong))
	if err != nil {
		return nil, asRefusal(err), nil
	}
	out, err := of.whole(raw)
	if err == nil && !m.began && m.said == nil {
		err = errNoAnswer
	}
	if err != nil {
		return []contract.Unit{}, asRefusal(err), nil
	}
	w.Header().Set("Content-Type", "application/json")
	holdEnd(w, append(out, '\n'))
	return m.total(), nil, nil
}

// follow passes events on until the stream's end, and returns the one that is held
// back; nil when the answer is not complete. begun is called once something was
// written.
func (m *meter) follow(out *chunks, in *sse.Reader, of wire, begun func()) ([]byte, error) {
	for {
		rec, err := in.Next()
		if errors.Is(err, io.EOF) {
			return of.end(), nil
		}
		if err != nil {
			return nil, err
		}
		pass, last, err := of.next(rec)
		if err != nil || last {
			return pass, err
		}
		if m.bytes > 0 {
			begun()
		}
		if pass == nil {
			continue
		}
		if err := out.send(pass, m.began); err != nil {
			return nil, errors.Join(errEngineLeft, err)
		}
	}
}

// chunks is the stream to the engine.
type chunks struct {
	w       http.ResponseWriter
	flush   func() error
	held    []byte // that was not sent yet
	started bool
}

// send sends an event, and what was held back; nothing while the model has not begun,
// but for more than is held.
func (c *chunks) send(event []byte, began bool) error {
	c.held = append(c.held, event...)
	if !began && !c.started && len(c.held) < maxHeld {
		return nil
	}
	c.start()
	_, err := c.w.Write(c.held)
	c.held = c.held[:0]
	if err != nil {
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

func (c *chunks) end(event []byte) {
	c.start()
	holdEnd(c.w, append(c.held, event...))
}

// named is an event of a stream that names its events.
func named(kind string, data []byte) []byte {
	return fmt.Appendf(nil, "event: %s\ndata: %s\n\n", kind, data)
}

// namedError is the last event of such a stream.
func namedError(r *refusal) []byte { return named("error", r.body()) }

// isNull reports whether a member is not there, or null.
func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }

// noContent is an error of decoding without what was decoded.
func noContent(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("no JSON at byte %d", syntax.Offset)
	}
	return errors.New("unexpected JSON")
}
