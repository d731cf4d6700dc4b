package egress

import (
	"encoding/json"
	"strings"

	"github.com/svc-games/svc/api/contract"
)

// chatRequest holds the members of a chat completion that are passed on.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Tools               []chatTool      `json:"tools,omitempty"`
	ToolChoice          json.RawMessage `json:"tool_choice,omitempty"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls,omitempty"`
	ResponseFormat      json.RawMessage `json:"response_format,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	Temperature         *float64        `json:"temperature,omitempty"`
	TopP                *float64        `json:"top_p,omitempty"`
	PresencePenalty     *float64        `json:"presence_penalty,omitempty"`
	FrequencyPenalty    *float64        `json:"frequency_penalty,omitempty"`
	Seed                *int64          `json:"seed,omitempty"`
	Stop                json.RawMessage `json:"stop,omitempty"`
	MaxTokens           *int64          `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int64          `json:"max_completion_tokens,omitempty"`
	Stream              bool            `json:"stream,omitempty"`
	StreamOptions       *streamOptions  `json:"stream_options,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

type chatMessage struct {
	Role       string      `json:"role"`
	Content    chatContent `json:"content"`
	Name       string      `json:"name,omitempty"`
	ToolCalls  []toolCall  `json:"tool_calls,omitempty"`
	ToolCallID string      `json:"tool_call_id,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function toolFunction `json:"function"`
}

type toolFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// chatContent is a message's text, its parts, or nothing.
type chatContent struct {
	text  *string
	parts []contentPart
}

type contentPart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

// UnmarshalJSON reads a string, a list of parts or null.
func (c *chatContent) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '[' {
		return json.Unmarshal(raw, &c.parts)
	}
	return json.Unmarshal(raw, &c.text)
}

// MarshalJSON writes what was read.
func (c chatContent) MarshalJSON() ([]byte, error) {
	if c.parts != nil {
		return json.Marshal(c.parts)
	}
	return json.Marshal(c.text)
}

// readChat reads a request for a chat completion. The tokens it may have
// written are capped, and a stream is made to end with its usage.
func (e *Egress) readChat(body []byte) (*call, *refusal) {
	var q chatRequest
	if refused := decode(body, &q); refused != nil {
		return nil, refused
	}
	if len(q.Messages) == 0 {
		return nil, invalid("messages must have at least one element.")
	}
	for _, m := range q.Messages {
		for _, part := range m.Content.parts {
			// An address would have the provider fetch what the engine can't.
			if part.ImageURL != nil && !strings.HasPrefix(part.ImageURL.URL, "data:image/") {
				return nil, invalid("An image must be a data: URL.")
			}
		}
	}
	most, refused := q.capTokens(e.config.MaxTokens)
	if refused != nil {
		return nil, refused
	}
	q.StreamOptions = nil
	if q.Stream {
		q.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	out, refused := encode(q)
	if refused != nil {
		return nil, refused
	}
	meter := &chatMeter{model: q.Model, input: q.inputTokens(), most: most}
	c := &call{model: q.Model, body: out, limit: meter.limit(), relay: wholeJSON(meter.maxAnswer(), meter.readWhole)}
	if q.Stream {
		c.live, c.relay = true, meter.relayStream
	}
	return c, nil
}

// capTokens bounds what the model may write by the ceiling, and returns the
// bound. The engine chooses which of the two members its model wants.
func (q *chatRequest) capTokens(ceiling int64) (int64, *refusal) {
	if q.MaxTokens != nil && q.MaxCompletionTokens != nil {
		return 0, invalid("max_tokens and max_completion_tokens are both given.")
	}
	if q.MaxTokens == nil && q.MaxCompletionTokens == nil {
		q.MaxTokens = &ceiling
	}
	for _, wanted := range []*int64{q.MaxTokens, q.MaxCompletionTokens} {
		if wanted == nil {
			continue
		}
		if *wanted < 1 {
			return 0, invalid("The most tokens to write must be at least 1.")
		}
		*wanted = min(*wanted, ceiling)
		return *wanted, nil
	}
	return ceiling, nil
}

// inputTokens estimates from above what the model reads.
func (q *chatRequest) inputTokens() int64 {
	const perMessage, perImage = 16, 2000
	var n int64
	for _, m := range q.Messages {
		n += perMessage + tokens(m.Name) + tokens(m.ToolCallID)
		if m.Content.text != nil {
			n += tokens(*m.Content.text)
		}
		for _, part := range m.Content.parts {
			n += tokens(part.Text)
			if part.ImageURL != nil {
				n += perImage
			}
		}
		for _, t := range m.ToolCalls {
			n += perMessage + tokens(t.Function.Name) + tokens(t.Function.Arguments)
		}
	}
	for _, t := range q.Tools {
		n += perMessage + tokens(t.Function.Name) + tokens(t.Function.Description) + tokens(string(t.Function.Parameters))
	}
	return n + tokens(string(q.ResponseFormat))
}

// tokens estimates from above how many tokens a text is: two bytes each. The
// usual tokenizers need three to four for English and code, two to three for
// other scripts.
func tokens(text string) int64 { return int64(len(text)+1) / 2 }

func (m *chatMeter) limit() []contract.Unit { return m.cost(m.input, m.most) }
