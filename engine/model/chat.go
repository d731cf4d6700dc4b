package model

import (
	"bytes"
	"encoding/json"
)

// kindExtra is what goes with a chat message, or with the call before it.
const kindExtra = "extra_content"

// Members of a chat message that are replayed.
const (
	kindReasoning = "reasoning_content"
	kindDetails   = "reasoning_details"
	kindPlain     = "reasoning" // the younger name of the first
)

// chatForms: reasoning models want another name for the most that they may
// write; many servers know neither the effort nor the form of an answer; the pictures
// go last, for what is refused with them may be where they stand.
var chatForms = []form{
	{}, {renamed: true}, {effortless: true}, {effortless: true, formless: true}, {effortless: true, formless: true, renamed: true},
	{lentThought: true}, {lentSignature: true}, {effortless: true, lentThought: true}, {effortless: true, lentSignature: true},
	{ordered: true}, {effortless: true, ordered: true},
	{blind: true}, {forgetful: true}, {effortless: true, forgetful: true},
}

type chatRequest struct {
	Model    string          `json:"model"`
	Tools    []chatTool      `json:"tools,omitempty"`
	Messages []chatMessage   `json:"messages"`
	Format   json.RawMessage `json:"response_format,omitempty"`
	Effort   string          `json:"reasoning_effort,omitempty"`
	// MaxTokens is the most that the model may write, and for some goes by its
	// other name.
	MaxTokens           int  `json:"max_tokens,omitempty"`
	MaxCompletionTokens int  `json:"max_completion_tokens,omitempty"`
	Stream              bool `json:"stream"`
}

type chatTool struct {
	Type     string       `json:"type"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

type chatMessage struct {
	Role       string          `json:"role"`
	Content    any             `json:"content"` // a text, or parts
	ToolCalls  []chatCall      `json:"tool_calls,omitempty"`
	ToolCallID string          `json:"tool_call_id,omitempty"`
	Reasoning  json.RawMessage `json:"reasoning_content,omitempty"`
	Details    json.RawMessage `json:"reasoning_details,omitempty"`
	Plain      json.RawMessage `json:"reasoning,omitempty"`
	Extra      json.RawMessage `json:"extra_content,omitempty"`
}

type chatCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra json.RawMessage `json:"extra_content,omitempty"`
}

type chatPart struct {
	Type  string     `json:"type"`
	Text  string     `json:"text,omitempty"`
	Image *chatImage `json:"image_url,omitempty"`
	Cache *mark      `json:"cache_control,omitempty"`
}

type chatImage struct {
	URL string `json:"url"`
}

func encodeChat(r Request, o Offer, f form) any {
	q := chatRequest{Model: r.Model, Effort: r.Effort, MaxTokens: r.MaxOutput, Stream: true}
	if f.effortless || o.Reasoning == ReasoningNone {
		q.Effort = ""
	}
	if f.renamed {
		q.MaxTokens, q.MaxCompletionTokens = 0, r.MaxOutput
	}
	if len(r.Schema) > 0 && !f.formless {
		q.Format = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"answer","strict":false,"schema":` + string(r.Schema) + `}}`)
	}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, chatTool{"function", chatFunction(t)})
	}
	if r.System != "" {
		q.Messages = append(q.Messages, chatMessage{Role: "system", Content: r.System})
	}
	var pictures []Image // of the results before
	for i, m := range r.Messages {
		m = seen(m, o)
		for _, p := range m.Parts {
			switch {
			case m.Role != RoleTool:
			case p.Result != nil:
				q.Messages = append(q.Messages, chatMessage{Role: RoleTool, ToolCallID: p.Result.ID, Content: p.Result.Text})
				pictures = append(pictures, p.Result.Images...)
			case p.isText() && len(q.Messages) > 0: // the engine's own, which stands with the result before
				last := &q.Messages[len(q.Messages)-1]
				last.Content = joined(last.Content, p.Text)
			}
		}
		if len(pictures) > 0 && (i+1 == len(r.Messages) || r.Messages[i+1].Role != RoleTool) {
			// A tool's message has a text alone on this wire.
			q.Messages = append(q.Messages, chatMessage{Role: RoleUser, Content: chatParts(pictureMessage(pictures))})
			pictures = nil
		}
		if m.Role != RoleTool {
			q.Messages = append(q.Messages, chatMessageOf(m, r, o, f))
		}
	}
	if f.ordered {
		q.order()
	}
	if o.Cache == CacheMarks && r.Cache {
		q.mark()
	}
	return q
}

// pictureMessage shows the pictures of results.
func pictureMessage(pictures []Image) Message {
	m := TextMessage(RoleUser, "The pictures of the results above, in their order:")
	for _, p := range pictures {
		m.Parts = append(m.Parts, Part{Image: &p})
	}
	return m
}

// chatParts are the texts and pictures of a message.
func chatParts(m Message) []chatPart {
	var parts []chatPart
	for _, p := range m.Parts {
		switch {
		case p.Image != nil:
			parts = append(parts, chatPart{Type: "image_url", Image: &chatImage{URL: p.Image.url()}})
		case p.isText():
			parts = append(parts, chatPart{Type: "text", Text: p.Text})
		}
	}
	return parts
}

func chatMessageOf(m Message, r Request, o Offer, f form) chatMessage {
	out := chatMessage{Role: m.Role, Content: m.Text()}
	for _, p := range m.Parts {
		if p.Image != nil {
			out.Content = chatParts(m)
		}
		if p.Call != nil {
			c := chatCall{ID: p.Call.ID, Type: "function"}
			c.Function.Name, c.Function.Arguments = p.Call.Name, string(object(p.Call.Arguments))
			if f.lentSignature && o.Protocol != "" {
				c.Extra = json.RawMessage(lentSignature)
			}
			out.ToolCalls = append(out.ToolCalls, c)
		}
		opaque := replayed(p, r, o)
		switch {
		case opaque == nil:
		case opaque.Kind == kindReasoning:
			out.Reasoning = opaque.Raw
		case opaque.Kind == kindDetails:
			out.Details = opaque.Raw
		case opaque.Kind == kindPlain:
			out.Plain = opaque.Raw
		case opaque.Kind == kindExtra && len(out.ToolCalls) > 0:
			out.ToolCalls[len(out.ToolCalls)-1].Extra = opaque.Raw
		case opaque.Kind == kindExtra:
			out.Extra = opaque.Raw
		}
	}
	if m.Role == RoleAssistant && out.Content == "" && len(out.ToolCalls) == 0 {
		out.Content = unsaid
	}
	if f.lentThought && o.Protocol != "" && len(out.ToolCalls) > 0 && out.Reasoning == nil {
		out.Reasoning = json.RawMessage(lentThought)
	}
	return out
}

// lentThought stands for what another model thought. An empty one is refused.
const lentThought = `"(not kept)"`

// lentSignature is what Gemini takes in the place of the signature of a call that
// it did not make itself.
const lentSignature = `{"google":{"thought_signature":"skip_thought_signature_validator"}}`

// OfChanged is what goes with a call whose arguments are no longer those that were
// signed.
func (o Opaque) OfChanged() *Opaque {
	if o.Kind == kindExtra && bytes.Contains(o.Raw, []byte(`"thought_signature"`)) {
		o.Raw = json.RawMessage(lentSignature)
	}
	return &o
}
