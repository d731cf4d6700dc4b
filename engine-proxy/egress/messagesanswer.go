package egress

import (
	"encoding/json"
	"fmt"

	"github.com/svc-games/svc/api/sse"
)

// message holds the members of an answer that are passed on.
type message struct {
	ID           string          `json:"id,omitempty"`
	Type         string          `json:"type"`
	Role         string          `json:"role"`
	Model        string          `json:"model"`
	Content      json.RawMessage `json:"content"`
	StopReason   json.RawMessage `json:"stop_reason"`
	StopSequence json.RawMessage `json:"stop_sequence"`
	Usage        *messagesUsage  `json:"usage,omitempty"`
}

// messagesUsage is what a provider says a message used: the input without what a
// cache had or was given.
type messagesUsage struct {
	InputTokens   *int64 `json:"input_tokens,omitempty"`
	CacheRead     *int64 `json:"cache_read_input_tokens,omitempty"`
	CacheCreation *int64 `json:"cache_creation_input_tokens,omitempty"`
	OutputTokens  *int64 `json:"output_tokens,omitempty"`
}

// messagesWire reads answers of Anthropic's wire.
type messagesWire struct {
	*meter
	usage   counted // as far as it is known
	stopped bool
}

// use takes a usage into account. Those of a stream grow; each tells what it knows.
func (c *messagesWire) use(raw json.RawMessage) *messagesUsage {
	var u messagesUsage
	if isNull(raw) || json.Unmarshal(raw, &u) != nil {
		return nil
	}
	for _, part := range []struct {
		into *int64
		said *int64
	}{{&c.usage.input, u.InputTokens}, {&c.usage.cached, u.CacheRead}, {&c.usage.written, u.CacheCreation}, {&c.usage.output, u.OutputTokens}} {
		if part.said != nil {
			*part.into = *part.said
		}
	}
	said := c.usage
	c.said = &said
	return &u
}

func (c *messagesWire) whole(raw []byte) ([]byte, error) {
	var a struct {
		message
		Usage json.RawMessage `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("reading answer: %w", noContent(err))
	}
	if !isNull(a.Error) || a.Type == "error" {
		return nil, errorOf(raw)
	}
	if a.Type != "message" {
		return nil, errNoAnswer
	}
	a.message.Usage, a.Model = c.use(a.Usage), c.model
	c.wrote(a.Content)
	return marshal(a.message)
}

// messagesEvent is an event as far as it is looked at.
type messagesEvent struct {
	Type    string          `json:"type"`
	Message json.RawMessage `json:"message"`
	Block   *block          `json:"content_block"`
	Delta   struct {
		Text         json.RawMessage `json:"text"`
		Thinking     json.RawMessage `json:"thinking"`
		PartialJSON  json.RawMessage `json:"partial_json"`
		StopReason   json.RawMessage `json:"stop_reason"`
		StopSequence json.RawMessage `json:"stop_sequence"`
	} `json:"delta"`
	Usage json.RawMessage `json:"usage"`
}

func (c *messagesWire) next(rec sse.Record) (out []byte, last bool, err error) {
	var e messagesEvent
	if err := json.Unmarshal(rec.Data, &e); err != nil {
		return nil, false, fmt.Errorf("reading answer: %w", noContent(err))
	}
	switch e.Type {
	case "message_start":
		out, err = c.start(e.Message)
	case "content_block_start":
		c.began = true
		if b := e.Block; b != nil {
			c.bytes += int64(len(b.Name))
			for _, text := range []*string{b.Text, b.Thinking, b.Data} {
				if text != nil {
					c.bytes += int64(len(*text))
				}
			}
		}
		out = rec.Data
	case "content_block_delta":
		c.wrote(e.Delta.Text, e.Delta.Thinking, e.Delta.PartialJSON)
		out = rec.Data
	case "content_block_stop", "ping":
		out = rec.Data
	case "message_delta":
		out, err = c.delta(e)
	case "message_stop":
		return messagesEnd, true, nil
	case "error":
		return nil, false, errorOf(rec.Data)
	default:
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	return named(e.Type, out), false, nil
}

func (c *messagesWire) start(raw json.RawMessage) ([]byte, error) {
	var m struct {
		message
		Usage json.RawMessage `json:"usage"`
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("reading answer: %w", noContent(err))
	}
	m.message.Usage, m.Model = c.use(m.Usage), c.model
	return marshal(map[string]any{"type": "message_start", "message": m.message})
}

func (c *messagesWire) delta(e messagesEvent) ([]byte, error) {
	c.stopped = !isNull(e.Delta.StopReason)
	out := map[string]any{"type": e.Type, "delta": map[string]any{"stop_reason": e.Delta.StopReason, "stop_sequence": e.Delta.StopSequence}}
	if u := c.use(e.Usage); u != nil {
		out["usage"] = u
	}
	return marshal(out)
}

var messagesEnd = named("message_stop", []byte(`{"type":"message_stop"}`))

func (c *messagesWire) end() []byte {
	if !c.stopped {
		return nil
	}
	return messagesEnd
}

func (c *messagesWire) broken(r *refusal) []byte { return namedError(r) }
