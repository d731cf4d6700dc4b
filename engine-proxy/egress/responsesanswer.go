package egress

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/svc-games/svc/api/sse"
)

// response holds the members of an answer that are passed on.
type response struct {
	ID         string          `json:"id,omitempty"`
	Object     string          `json:"object,omitempty"`
	CreatedAt  json.RawMessage `json:"created_at,omitempty"`
	Status     string          `json:"status,omitempty"`
	Incomplete json.RawMessage `json:"incomplete_details,omitempty"`
	Model      string          `json:"model"`
	Output     json.RawMessage `json:"output"`
	Usage      *responsesUsage `json:"usage,omitempty"`
}

// responsesUsage is what a provider says a response used: the input with what a
// cache had.
type responsesUsage struct {
	InputTokens  int64          `json:"input_tokens"`
	Input        *promptDetails `json:"input_tokens_details,omitempty"`
	OutputTokens int64          `json:"output_tokens"`
	Output       *writtenTokens `json:"output_tokens_details,omitempty"`
	TotalTokens  int64          `json:"total_tokens"`
}

func (u *responsesUsage) counted() counted {
	var cached, written int64
	if u.Input != nil {
		cached, written = u.Input.CachedTokens, u.Input.CacheWriteTokens
	}
	return outOf(u.InputTokens, cached, written, withThought(u.InputTokens, u.OutputTokens, u.TotalTokens))
}

// responsesWire reads answers of the Responses wire.
type responsesWire struct{ *meter }

func (c *responsesWire) whole(raw []byte) ([]byte, error) {
	r, err := c.read(raw)
	if err != nil {
		return nil, err
	}
	if r.Status != "completed" && r.Status != "incomplete" {
		return nil, saidError{}
	}
	return marshal(r)
}

// read takes the object of a response into account. An error in it counts by its
// usage, if there is one.
func (c *responsesWire) read(raw json.RawMessage) (*response, error) {
	var a struct {
		response
		Usage json.RawMessage `json:"usage"`
		Error json.RawMessage `json:"error"`
	}
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("reading answer: %w", noContent(err))
	}
	var u responsesUsage
	if !isNull(a.Usage) && json.Unmarshal(a.Usage, &u) == nil {
		a.response.Usage = &u
		if said := u.counted(); said.credible() {
			c.said = &said
		}
	}
	if !isNull(a.Error) {
		return nil, errorOf(a.Error)
	}
	if len(a.Output) == 0 || a.Output[0] != '[' {
		a.Output = json.RawMessage("[]")
	}
	if c.bytes == 0 && len(a.Output) > len("[]") {
		c.wrote(a.Output) // nothing of it came before
	}
	a.Model = c.model
	return &a.response, nil
}

// passedEvents are the beginnings of the names of events that are passed on as they
// are.
var passedEvents = []string{
	"response.output_item.", "response.content_part.", "response.output_text.", "response.refusal.", "response.function_call_arguments.",
	"response.reasoning_summary_part.", "response.reasoning_summary_text.", "response.reasoning_text.", "response.reasoning_part.",
}

func (c *responsesWire) next(rec sse.Record) (out []byte, last bool, err error) {
	var e struct {
		Type     string          `json:"type"`
		Response json.RawMessage `json:"response"`
		Delta    json.RawMessage `json:"delta"`
		Number   *int64          `json:"sequence_number,omitempty"`
	}
	if err := json.Unmarshal(rec.Data, &e); err != nil {
		return nil, false, fmt.Errorf("reading answer: %w", noContent(err))
	}
	switch e.Type {
	case "response.created", "response.queued", "response.in_progress", "response.completed", "response.incomplete", "response.failed":
		r, err := c.read(e.Response)
		if err != nil {
			return nil, false, err
		}
		if e.Type == "response.failed" {
			return nil, false, saidError{}
		}
		passed := map[string]any{"type": e.Type, "response": r}
		if e.Number != nil {
			passed["sequence_number"] = *e.Number
		}
		out, err = marshal(passed)
		return named(e.Type, out), e.Type == "response.completed" || e.Type == "response.incomplete", err
	case "error":
		return nil, false, errorOf(rec.Data)
	}
	for _, beginning := range passedEvents {
		if strings.HasPrefix(e.Type, beginning) {
			c.began = true
			c.wrote(e.Delta)
			return named(e.Type, rec.Data), false, nil
		}
	}
	return nil, false, nil
}

// end: the answer stands in the last event, so that without it there is none.
func (c *responsesWire) end() []byte { return nil }

func (c *responsesWire) broken(r *refusal) []byte { return namedError(r) }
