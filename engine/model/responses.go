package model

import (
	"encoding/json"
	"strings"
)

type responsesRequest struct {
	Model        string          `json:"model"`
	Instructions string          `json:"instructions,omitempty"`
	Tools        []responsesTool `json:"tools,omitempty"`
	Input        []any           `json:"input"`
	// Include asks for reasoning in a form that can be sent back: nothing is
	// stored, and items are known by what they hold alone.
	Include   []string            `json:"include,omitempty"`
	Reasoning *responsesReasoning `json:"reasoning,omitempty"`
	Text      *responsesText      `json:"text,omitempty"`
	MaxOutput int                 `json:"max_output_tokens,omitempty"`
	Store     bool                `json:"store"`
	Stream    bool                `json:"stream"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      bool            `json:"strict"`
}

type responsesReasoning struct {
	Effort string `json:"effort,omitempty"`
}

type responsesText struct {
	Format responsesFormat `json:"format"`
}

type responsesFormat struct {
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Schema json.RawMessage `json:"schema"`
	Strict bool            `json:"strict"`
}

// Items of the input.
type (
	responsesMessage struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content any    `json:"content"` // parts, or of the model's a text
	}
	responsesContent struct {
		Type  string `json:"type"`
		Text  string `json:"text,omitempty"`
		Image string `json:"image_url,omitempty"`
	}
	responsesCall struct {
		Type      string `json:"type"`
		ID        string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	responsesResult struct {
		Type   string `json:"type"`
		ID     string `json:"call_id"`
		Output any    `json:"output"` // a text, or parts
	}
)

func encodeResponses(r Request, o Offer, f form) any {
	q := responsesRequest{Model: r.Model, Instructions: r.System, MaxOutput: r.MaxOutput, Stream: true, Input: []any{}}
	for _, t := range r.Tools {
		q.Tools = append(q.Tools, responsesTool{"function", t.Name, t.Description, t.Parameters, false})
	}
	for _, m := range r.Messages {
		q.Input = append(q.Input, responsesItems(seen(m, o), r, o)...)
	}
	if o.Reasoning != ReasoningNone && !f.effortless {
		q.Include = []string{"reasoning.encrypted_content"}
		if r.Effort != "" {
			q.Reasoning = &responsesReasoning{r.Effort}
		}
	}
	if len(r.Schema) > 0 && !f.formless {
		q.Text = &responsesText{responsesFormat{Type: "json_schema", Name: "answer", Schema: r.Schema}}
	}
	return q
}

// responsesItems are the items that a message is on this wire, in their order:
// reasoning stands before what came of it.
func responsesItems(m Message, r Request, o Offer) []any {
	var items []any
	var said *responsesMessage // that a further part is added to
	var parts []responsesContent
	say := func(c responsesContent) {
		if said == nil {
			said, parts = &responsesMessage{Type: "message", Role: m.Role}, nil
			if m.Role == RoleTool {
				said.Role = RoleUser
			}
			items = append(items, said)
		}
		parts = append(parts, c)
		said.Content = parts
	}
	for _, p := range m.Parts {
		opaque := replayed(p, r, o)
		switch {
		case opaque != nil:
			items, said = append(items, opaque.Raw), nil
		case p.Call != nil:
			items, said = append(items, responsesCall{"function_call", p.Call.ID, p.Call.Name, string(object(p.Call.Arguments))}), nil
		case p.Result != nil:
			items, said = append(items, responsesResult{"function_call_output", p.Result.ID, outputOf(*p.Result)}), nil
		case p.Image != nil:
			say(responsesContent{Type: "input_image", Image: p.Image.url()})
		case p.isText() && strings.TrimSpace(p.Text) != "" && m.Role == RoleAssistant:
			// As a text: parts of the model's own want the ids that a server gave them.
			items, said = append(items, responsesMessage{"message", m.Role, p.Text}), nil
		case p.isText() && strings.TrimSpace(p.Text) != "":
			say(responsesContent{Type: "input_text", Text: p.Text})
		}
	}
	return items
}

func outputOf(r Result) any {
	if len(r.Images) == 0 {
		return r.Text
	}
	parts := []responsesContent{{Type: "input_text", Text: r.Text}}
	for _, p := range r.Images {
		parts = append(parts, responsesContent{Type: "input_image", Image: p.url()})
	}
	return parts
}
