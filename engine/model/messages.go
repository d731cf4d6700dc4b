package model

import (
	"cmp"
	"encoding/json"
	"strings"
)

type messagesRequest struct {
	Model     string            `json:"model"`
	Tools     []messagesTool    `json:"tools,omitempty"`
	System    []messagesBlock   `json:"system,omitempty"`
	Messages  []messagesMessage `json:"messages"`
	MaxTokens int               `json:"max_tokens"`
	Thinking  *messagesThinking `json:"thinking,omitempty"`
	Output    *messagesOutput   `json:"output_config,omitempty"`
	Stream    bool              `json:"stream"`
}

type messagesTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"input_schema"`
}

type messagesMessage struct {
	Role    string          `json:"role"`
	Content []messagesBlock `json:"content"`
}

// messagesBlock is a block of a message: raw if that is set.
type messagesBlock struct {
	raw json.RawMessage

	Type   string          `json:"type"`
	Text   string          `json:"text,omitempty"`
	Source *messagesSource `json:"source,omitempty"`
	// of tool_use
	ID    string          `json:"id,omitempty"`
	Name  string          `json:"name,omitempty"`
	Input json.RawMessage `json:"input,omitempty"`
	// of tool_result
	ResultOf string          `json:"tool_use_id,omitempty"`
	Content  []messagesBlock `json:"content,omitempty"`

	Cache *mark `json:"cache_control,omitempty"`
}

// MarshalJSON writes a block, one that is opaque as it came.
func (b messagesBlock) MarshalJSON() ([]byte, error) {
	if b.raw != nil {
		return b.raw, nil
	}
	type plain messagesBlock
	return encode(plain(b))
}

type messagesSource struct {
	Type  string `json:"type"`
	Media string `json:"media_type"`
	Data  []byte `json:"data"`
}

type messagesThinking struct {
	Type   string `json:"type"`
	Budget int    `json:"budget_tokens,omitempty"`
}

type messagesOutput struct {
	Effort string `json:"effort"`
}

// defaultOutput is what a model may write where the wire wants to be told.
const defaultOutput = 8192

func encodeMessages(r Request, o Offer, f form) any {
	q := messagesRequest{Model: r.Model, MaxTokens: r.MaxOutput, Stream: true}
	q.MaxTokens = cmp.Or(q.MaxTokens, defaultOutput)
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, messagesTool{t.Name, t.Description, t.Parameters})
	}
	if r.System != "" {
		q.System = []messagesBlock{{Type: "text", Text: r.System}}
	}
	for _, m := range r.Messages {
		q.add(seen(m, o), r, o)
	}
	if r.Effort != "" && !f.effortless {
		q.think(r, o)
	}
	if o.Cache == CacheMarks && r.Cache {
		q.mark()
	}
	return q
}

// add adds a message. The wire has the user and the model speak in turns, and
// all results of a turn in one message, before anything else.
func (q *messagesRequest) add(m Message, r Request, o Offer) {
	role := RoleUser
	if m.Role == RoleAssistant {
		role = RoleAssistant
	}
	var blocks []messagesBlock
	for _, p := range m.Parts {
		switch opaque := replayed(p, r, o); {
		case opaque != nil:
			blocks = append(blocks, messagesBlock{raw: opaque.Raw})
		case p.Call != nil:
			blocks = append(blocks, messagesBlock{Type: "tool_use", ID: idOf(p.Call.ID), Name: p.Call.Name, Input: object(p.Call.Arguments)})
		case p.Result != nil:
			blocks = append(blocks, messagesBlock{Type: "tool_result", ResultOf: idOf(p.Result.ID), Content: resultBlocks(*p.Result)})
		case p.Image != nil:
			blocks = append(blocks, imageBlock(*p.Image))
		case p.isText() && strings.TrimSpace(p.Text) != "": // an empty one is refused
			blocks = append(blocks, messagesBlock{Type: "text", Text: p.Text})
		}
	}
	if len(blocks) == 0 {
		return
	}
	if n := len(q.Messages); n > 0 && q.Messages[n-1].Role == role {
		q.Messages[n-1].Content = append(q.Messages[n-1].Content, blocks...)
		return
	}
	q.Messages = append(q.Messages, messagesMessage{role, blocks})
}

func resultBlocks(r Result) []messagesBlock {
	var blocks []messagesBlock
	if strings.TrimSpace(r.Text) != "" {
		blocks = append(blocks, messagesBlock{Type: "text", Text: r.Text})
	}
	for _, p := range r.Images {
		blocks = append(blocks, imageBlock(p))
	}
	return blocks
}

func imageBlock(p Image) messagesBlock {
	return messagesBlock{Type: "image", Source: &messagesSource{"base64", p.Type, p.Data}}
}

// idOf is an id of a call as the wire lets one be: another model may have given it.
func idOf(id string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, id)
}

// Bounds of what a model is to think, in tokens.
const (
	leastThought = 1024
	leastSpoken  = 1024 // of what it may write, beside
)

var thoughts = map[string]int{"low": 2048, "medium": 8192, "high": 24576}

// think asks for reasoning, in the way that the model knows.
func (q *messagesRequest) think(r Request, o Offer) {
	switch o.Reasoning {
	case ReasoningAdaptive:
		q.Thinking, q.Output = &messagesThinking{Type: "adaptive"}, &messagesOutput{r.Effort}
	case ReasoningEffort:
		q.Output = &messagesOutput{r.Effort}
	case ReasoningBudget:
		budget := min(thoughts[r.Effort], q.MaxTokens-leastSpoken)
		if budget >= leastThought && !q.thoughtless() {
			q.Thinking = &messagesThinking{"enabled", budget}
		}
	}
}

// thoughtless reports whether the turn that goes on began without reasoning: one
// of another model, which this one may not go on with while it thinks.
func (q *messagesRequest) thoughtless() bool {
	for i := len(q.Messages) - 1; i >= 0; i-- {
		m := q.Messages[i]
		if m.Role == RoleAssistant {
			return m.Content[0].raw == nil
		}
		if m.Content[0].Type != "tool_result" {
			return false
		}
	}
	return false
}
