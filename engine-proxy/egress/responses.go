package egress

import "encoding/json"

// sealedReasoning is the one thing that may be included: what was thought, which
// none but the provider can read.
const sealedReasoning = "reasoning.encrypted_content"

// responsesRequest holds the members of a request of the Responses wire that are
// passed on. Store is false always: what a provider kept would outlive its
// project.
type responsesRequest struct {
	Model             string                `json:"model"`
	Instructions      string                `json:"instructions,omitempty"`
	Input             either[responsesItem] `json:"input"`
	Tools             []responsesTool       `json:"tools,omitempty"`
	ToolChoice        *responsesChoice      `json:"tool_choice,omitempty"`
	ParallelToolCalls *bool                 `json:"parallel_tool_calls,omitempty"`
	Reasoning         *responsesReasoning   `json:"reasoning,omitempty"`
	Text              *responsesText        `json:"text,omitempty"`
	Include           []string              `json:"include,omitempty"`
	MaxOutputTokens   *int64                `json:"max_output_tokens"`
	Temperature       *float64              `json:"temperature,omitempty"`
	TopP              *float64              `json:"top_p,omitempty"`
	PromptCacheKey    string                `json:"prompt_cache_key,omitempty"`
	Store             bool                  `json:"store"`
	Stream            bool                  `json:"stream,omitempty"`
}

// responsesItem is a part of the conversation, of whatever type.
type responsesItem struct {
	Type             string                 `json:"type,omitempty"`
	Role             string                 `json:"role,omitempty"`
	Status           string                 `json:"status,omitempty"`
	Phase            string                 `json:"phase,omitempty"`
	Content          *either[responsesPart] `json:"content,omitempty"`
	CallID           string                 `json:"call_id,omitempty"`
	Name             string                 `json:"name,omitempty"`
	Arguments        *string                `json:"arguments,omitempty"`
	Output           *either[responsesPart] `json:"output,omitempty"`
	Summary          *[]responsesPart       `json:"summary,omitempty"`
	EncryptedContent *string                `json:"encrypted_content,omitempty"`
}

type responsesPart struct {
	Type        string             `json:"type"`
	Text        *string            `json:"text,omitempty"`
	Refusal     *string            `json:"refusal,omitempty"`
	ImageURL    string             `json:"image_url,omitempty"`
	Detail      string             `json:"detail,omitempty"`
	Annotations *[]json.RawMessage `json:"annotations,omitempty"`
	Logprobs    *[]json.RawMessage `json:"logprobs,omitempty"`
}

type responsesTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict,omitempty"`
}

// responsesChoice is a word, or the name of a function.
type responsesChoice struct {
	word     string
	function struct {
		Type string `json:"type"`
		Name string `json:"name"`
	}
}

func (c *responsesChoice) UnmarshalJSON(raw []byte) error {
	if len(raw) > 0 && raw[0] == '"' {
		return json.Unmarshal(raw, &c.word)
	}
	return strictly(raw, &c.function)
}

func (c responsesChoice) MarshalJSON() ([]byte, error) {
	if c.word != "" {
		return marshal(c.word)
	}
	return marshal(c.function)
}

type responsesReasoning struct {
	Effort  string `json:"effort,omitempty"`
	Summary string `json:"summary,omitempty"`
}

type responsesText struct {
	Format    *responsesFormat `json:"format,omitempty"`
	Verbosity string           `json:"verbosity,omitempty"`
}

type responsesFormat struct {
	Type        string          `json:"type"`
	Name        string          `json:"name,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// readResponses reads a request of the Responses wire.
func (e *Egress) readResponses(body []byte) (*call, *refusal) {
	var q responsesRequest
	if refused := decode(body, &q); refused != nil {
		return nil, refused
	}
	var check parts
	if refused := q.check(&check); refused != nil {
		return nil, refused
	}
	model, refused := e.now().catalog.find(q.Model, useChat, ProtocolResponses)
	if refused != nil {
		return nil, refused
	}
	most, refused := capped(&q.MaxOutputTokens, model.ceiling)
	if refused != nil {
		return nil, refused
	}
	out, refused := encode(q)
	if refused != nil {
		return nil, refused
	}
	m := &meter{model: q.Model, input: check.tokens(out), most: most, sent: int64(len(out))}
	return model.call(out, m, &responsesWire{meter: m}, q.Stream), nil
}

func (q *responsesRequest) check(p *parts) *refusal {
	if len(q.Input.list) == 0 && q.Input.text == nil {
		return invalid("input must have at least one element.")
	}
	if q.Store {
		return invalid("store can only be false: nothing is kept at the provider.")
	}
	for _, name := range q.Include {
		if name != sealedReasoning {
			return invalid("include can only have %s.", sealedReasoning)
		}
	}
	for _, t := range q.Tools {
		if t.Type != "function" {
			return invalid("The tool %q can't be passed on: only an engine's own functions can.", t.Type)
		}
	}
	if c := q.ToolChoice; c != nil && c.word == "" && c.function.Type != "function" {
		return invalid("The tool %q can't be chosen: only an engine's own functions can.", c.function.Type)
	}
	for i := range q.Input.list {
		if refused := q.Input.list[i].check(p); refused != nil {
			return refused
		}
	}
	return nil
}

func (item *responsesItem) check(p *parts) *refusal {
	if item.Type != "" {
		if refused := oneOf("item", item.Type, []string{"message", "reasoning", "function_call", "function_call_output"}); refused != nil {
			return refused
		}
	}
	if item.EncryptedContent != nil && len(*item.EncryptedContent) > maxOpaque {
		return invalid("encrypted_content has more than %d bytes.", maxOpaque)
	}
	var all []responsesPart
	for _, content := range []*either[responsesPart]{item.Content, item.Output} {
		if content != nil {
			all = append(all, content.list...)
		}
	}
	if item.Summary != nil {
		all = append(all, *item.Summary...)
	}
	for _, part := range all {
		if refused := part.check(p); refused != nil {
			return refused
		}
	}
	return nil
}

func (part responsesPart) check(p *parts) *refusal {
	if refused := oneOf("part", part.Type, []string{"input_text", "output_text", "input_image", "refusal", "summary_text", "reasoning_text"}); refused != nil {
		return refused
	}
	for name, list := range map[string]*[]json.RawMessage{"annotations": part.Annotations, "logprobs": part.Logprobs} {
		if list != nil && len(*list) > 0 {
			return invalid("%s must be empty.", name)
		}
	}
	if part.Type == "input_image" || part.ImageURL != "" {
		return p.dataURL(part.ImageURL)
	}
	return nil
}
