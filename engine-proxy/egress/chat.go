package egress

import "encoding/json"

// chatRequest holds the members of a chat completion that are passed on.
type chatRequest struct {
	Model               string          `json:"model"`
	Messages            []chatMessage   `json:"messages"`
	Tools               []chatTool      `json:"tools,omitempty"`
	ToolChoice          json.RawMessage `json:"tool_choice,omitempty"`
	ParallelToolCalls   *bool           `json:"parallel_tool_calls,omitempty"`
	ResponseFormat      json.RawMessage `json:"response_format,omitempty"`
	ReasoningEffort     string          `json:"reasoning_effort,omitempty"`
	PromptCacheKey      string          `json:"prompt_cache_key,omitempty"`
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

// chatMessage has the members in which servers hand out what a model thought,
// and want it back.
type chatMessage struct {
	Role             string              `json:"role"`
	Content          either[contentPart] `json:"content"`
	Name             string              `json:"name,omitempty"`
	ToolCalls        []toolCall          `json:"tool_calls,omitempty"`
	ToolCallID       string              `json:"tool_call_id,omitempty"`
	Reasoning        *string             `json:"reasoning,omitempty"`
	ReasoningContent *string             `json:"reasoning_content,omitempty"`
	ReasoningDetails json.RawMessage     `json:"reasoning_details,omitempty"`
	ExtraContent     json.RawMessage     `json:"extra_content,omitempty"`
}

type toolCall struct {
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
	// ExtraContent holds the signature of a thought.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
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

type contentPart struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
	// CacheControl is how routers take the marks of Anthropic's wire.
	CacheControl *cacheMark `json:"cache_control,omitempty"`
}

type imageURL struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

// readChat reads a request for a chat completion. The tokens it may have
// written are capped, and a stream is made to end with its usage where its server
// takes that.
func (e *Egress) readChat(body []byte) (*call, *refusal) {
	var q chatRequest
	if refused := decode(body, &q); refused != nil {
		return nil, refused
	}
	var check messagesReading
	if refused := q.check(&check); refused != nil {
		return nil, refused
	}
	model, refused := e.now().catalog.find(q.Model, useChat, ProtocolChat)
	if refused != nil {
		return nil, refused
	}
	most, refused := q.capTokens(model.ceiling)
	if refused != nil {
		return nil, refused
	}
	q.StreamOptions = nil
	if q.Stream && e.provider.asksUsage(model) {
		q.StreamOptions = &streamOptions{IncludeUsage: true}
	}
	out, refused := encode(q)
	if refused != nil {
		return nil, refused
	}
	m := &meter{model: q.Model, input: q.inputTokens(), most: most, marked: check.marked, sent: int64(len(out))}
	c := model.call(out, m, &chatWire{meter: m}, q.Stream)
	if q.StreamOptions != nil {
		c.bare = func() ([]byte, *refusal) {
			q.StreamOptions = nil
			return encode(q)
		}
	}
	return c, nil
}

func (q *chatRequest) check(c *messagesReading) *refusal {
	if len(q.Messages) == 0 {
		return invalid("messages must have at least one element.")
	}
	for _, t := range q.Tools {
		if t.Type != "" && t.Type != "function" {
			return invalid("The tool %q can't be passed on: only an engine's own functions can.", t.Type)
		}
	}
	for i := range q.Messages {
		if refused := q.Messages[i].check(c); refused != nil {
			return refused
		}
	}
	return nil
}

func (m *chatMessage) check(c *messagesReading) *refusal {
	for _, part := range m.Content.list {
		if refused := c.mark(part.CacheControl); refused != nil {
			return refused
		}
		if part.ImageURL != nil {
			if refused := c.dataURL(part.ImageURL.URL); refused != nil {
				return refused
			}
		}
	}
	for name, text := range map[string]*string{"reasoning": m.Reasoning, "reasoning_content": m.ReasoningContent} {
		if text != nil && len(*text) > maxOpaque {
			return invalid("%s has more than %d bytes.", name, maxOpaque)
		}
	}
	if refused := opaque("reasoning_details", m.ReasoningDetails, '['); refused != nil {
		return refused
	}
	if refused := opaque("extra_content", m.ExtraContent, '{'); refused != nil {
		return refused
	}
	for _, t := range m.ToolCalls {
		if refused := opaque("extra_content", t.ExtraContent, '{'); refused != nil {
			return refused
		}
	}
	return nil
}

// capTokens bounds what the model may write by the ceiling, and returns the
// bound. The engine chooses which of the two members its model wants.
func (q *chatRequest) capTokens(ceiling int64) (int64, *refusal) {
	switch {
	case q.MaxTokens != nil && q.MaxCompletionTokens != nil:
		return 0, invalid("max_tokens and max_completion_tokens are both given.")
	case q.MaxCompletionTokens != nil:
		return capped(&q.MaxCompletionTokens, ceiling)
	}
	return capped(&q.MaxTokens, ceiling)
}

// capped bounds what a model may write by the ceiling, which is also what it is
// where nothing is asked for, and returns the bound.
func capped(asked **int64, ceiling int64) (int64, *refusal) {
	if *asked == nil {
		*asked = &ceiling
	}
	if **asked < 1 {
		return 0, invalid("The most tokens to write must be at least 1.")
	}
	**asked = min(**asked, ceiling)
	return **asked, nil
}

// inputTokens estimates from above what the model reads.
func (q *chatRequest) inputTokens() int64 {
	const perMessage = 16
	var n int64
	for _, m := range q.Messages {
		n += perMessage + tokens(m.Name) + tokens(m.ToolCallID) + tokens(string(m.ReasoningDetails)) + tokens(string(m.ExtraContent))
		for _, thought := range []*string{m.Reasoning, m.ReasoningContent} {
			if thought != nil {
				n += tokens(*thought)
			}
		}
		if m.Content.text != nil {
			n += tokens(*m.Content.text)
		}
		for _, part := range m.Content.list {
			n += tokens(part.Text)
			if part.ImageURL != nil {
				n += perPicture
			}
		}
		for _, t := range m.ToolCalls {
			n += perMessage + tokens(t.Function.Name) + tokens(t.Function.Arguments) + tokens(string(t.ExtraContent))
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
