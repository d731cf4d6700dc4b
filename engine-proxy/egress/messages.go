package egress

import "encoding/json"

// messagesRequest holds the members of a request of Anthropic's wire that are
// passed on.
type messagesRequest struct {
	Model         string            `json:"model"`
	MaxTokens     *int64            `json:"max_tokens"`
	System        *either[block]    `json:"system,omitempty"`
	Messages      []messagesMessage `json:"messages"`
	Tools         []messagesTool    `json:"tools,omitempty"`
	ToolChoice    *messagesChoice   `json:"tool_choice,omitempty"`
	Thinking      *messagesThinking `json:"thinking,omitempty"`
	OutputConfig  *messagesOutput   `json:"output_config,omitempty"`
	CacheControl  *cacheMark        `json:"cache_control,omitempty"`
	Temperature   *float64          `json:"temperature,omitempty"`
	TopP          *float64          `json:"top_p,omitempty"`
	TopK          *int64            `json:"top_k,omitempty"`
	StopSequences []string          `json:"stop_sequences,omitempty"`
	Stream        bool              `json:"stream,omitempty"`
}

type messagesMessage struct {
	Role    string        `json:"role"`
	Content either[block] `json:"content"`
}

// block is a part of a message, of whatever type.
type block struct {
	Type         string          `json:"type"`
	Text         *string         `json:"text,omitempty"`
	Source       *pictureSource  `json:"source,omitempty"`
	ID           string          `json:"id,omitempty"`
	Name         string          `json:"name,omitempty"`
	Input        json.RawMessage `json:"input,omitempty"`
	ToolUseID    string          `json:"tool_use_id,omitempty"`
	Content      *either[block]  `json:"content,omitempty"`
	IsError      *bool           `json:"is_error,omitempty"`
	Thinking     *string         `json:"thinking,omitempty"`
	Signature    *string         `json:"signature,omitempty"`
	Data         *string         `json:"data,omitempty"`
	CacheControl *cacheMark      `json:"cache_control,omitempty"`
}

type pictureSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
}

// cacheMark asks to have the request kept up to here, for five minutes: there is one
// price for what is written to a cache, and an hour is dearer.
type cacheMark struct {
	Type string `json:"type"`
	TTL  string `json:"ttl,omitempty"`
}

type messagesTool struct {
	Type         string          `json:"type,omitempty"`
	Name         string          `json:"name"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"input_schema"`
	Strict       *bool           `json:"strict,omitempty"`
	CacheControl *cacheMark      `json:"cache_control,omitempty"`
}

type messagesChoice struct {
	Type     string `json:"type"`
	Name     string `json:"name,omitempty"`
	Parallel *bool  `json:"disable_parallel_tool_use,omitempty"`
}

type messagesThinking struct {
	Type         string `json:"type"`
	BudgetTokens *int64 `json:"budget_tokens,omitempty"`
	Display      string `json:"display,omitempty"`
}

type messagesOutput struct {
	Effort string          `json:"effort,omitempty"`
	Format *messagesFormat `json:"format,omitempty"`
}

type messagesFormat struct {
	Type   string          `json:"type"`
	Schema json.RawMessage `json:"schema,omitempty"`
}

// readMessages reads a request of Anthropic's wire.
func (e *Egress) readMessages(body []byte) (*call, *refusal) {
	var q messagesRequest
	if refused := decode(body, &q); refused != nil {
		return nil, refused
	}
	if len(q.Messages) == 0 {
		return nil, invalid("messages must have at least one element.")
	}
	check := messagesReading{}
	if refused := check.request(&q); refused != nil {
		return nil, refused
	}
	model, refused := e.now().catalog.find(q.Model, useChat, ProtocolMessages)
	if refused != nil {
		return nil, refused
	}
	most, refused := capped(&q.MaxTokens, model.ceiling)
	if refused != nil {
		return nil, refused
	}
	out, refused := encode(q)
	if refused != nil {
		return nil, refused
	}
	m := &meter{model: q.Model, input: check.tokens(out), most: most, marked: check.marked, sent: int64(len(out))}
	return model.call(out, m, &messagesWire{meter: m}, q.Stream), nil
}

// messagesReading looks at all parts of a request.
type messagesReading struct {
	parts
	marked bool
}

func (c *messagesReading) request(q *messagesRequest) *refusal {
	if refused := c.mark(q.CacheControl); refused != nil {
		return refused
	}
	for _, t := range q.Tools {
		if t.Type != "" && t.Type != "custom" {
			return invalid("The tool %q can't be passed on: only an engine's own tools can.", t.Type)
		}
		if refused := c.mark(t.CacheControl); refused != nil {
			return refused
		}
	}
	if q.System != nil {
		if refused := c.blocks(q.System.list, "text"); refused != nil {
			return refused
		}
	}
	for _, m := range q.Messages {
		if refused := c.blocks(m.Content.list, "text", "image", "tool_use", "tool_result", "thinking", "redacted_thinking"); refused != nil {
			return refused
		}
	}
	return nil
}

func (c *messagesReading) mark(mark *cacheMark) *refusal {
	if mark == nil {
		return nil
	}
	c.marked = true
	if mark.TTL != "" && mark.TTL != "5m" {
		return invalid("cache_control.ttl can only be 5m.")
	}
	return nil
}

// blocks looks at parts that may be of some types.
func (c *messagesReading) blocks(list []block, types ...string) *refusal {
	for i := range list {
		b := &list[i]
		if refused := oneOf("block", b.Type, types); refused != nil {
			return refused
		}
		if refused := c.block(b); refused != nil {
			return refused
		}
	}
	return nil
}

func (c *messagesReading) block(b *block) *refusal {
	if refused := c.mark(b.CacheControl); refused != nil {
		return refused
	}
	for name, text := range map[string]*string{"thinking": b.Thinking, "signature": b.Signature, "data": b.Data} {
		if text != nil && len(*text) > maxOpaque {
			return invalid("%s has more than %d bytes.", name, maxOpaque)
		}
	}
	switch {
	case b.Source != nil && b.Source.Type != "base64", b.Type == "image" && b.Source == nil:
		return invalid("A picture must be given as base64.")
	case b.Source != nil:
		return c.picture(b.Source.MediaType, b.Source.Data)
	case b.Content != nil:
		return c.blocks(b.Content.list, "text", "image")
	}
	return nil
}
