package egress

import (
	"encoding/json"

	"github.com/svc-games/svc/api/contract"
)

// usage is what a provider says a completion used.
type usage struct {
	PromptTokens     int64 `json:"prompt_tokens"`
	CompletionTokens int64 `json:"completion_tokens"`
	TotalTokens      int64 `json:"total_tokens"`
}

// maxTokensOfCall is more than any model reads or writes in one call; a usage
// above it is a mistake.
const maxTokensOfCall = 100_000_000

func (u *usage) credible() bool {
	return u != nil && u.PromptTokens > 0 && u.CompletionTokens >= 0 &&
		u.PromptTokens <= maxTokensOfCall && u.CompletionTokens <= maxTokensOfCall
}

// chatMeter counts one chat completion.
type chatMeter struct {
	model       string
	input, most int64 // estimated tokens of the request, and the most to be written

	said  *usage // by the provider
	bytes int64  // of everything the model wrote
}

// choice is a part of an answer as far as it is counted. Providers differ in
// what they send where: what has another shape counts by its length.
type choice struct {
	Delta        *written `json:"delta"`
	Message      *written `json:"message"`
	FinishReason *string  `json:"finish_reason"`
}

type written struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
}

// count adds choices to what was written, and reports whether one of them is
// finished.
func (m *chatMeter) count(raw json.RawMessage) (finished bool) {
	var choices []choice
	if json.Unmarshal(raw, &choices) != nil {
		m.bytes += int64(len(raw))
		return false
	}
	for _, c := range choices {
		for _, w := range []*written{c.Delta, c.Message} {
			if w == nil {
				continue
			}
			for _, text := range []json.RawMessage{w.Content, w.Refusal, w.Reasoning, w.ReasoningContent} {
				m.bytes += length(text)
			}
			m.countTools(w.ToolCalls)
		}
		finished = finished || c.FinishReason != nil && *c.FinishReason != ""
	}
	return finished
}

func (m *chatMeter) countTools(raw json.RawMessage) {
	var calls []struct {
		Function struct {
			Name      json.RawMessage `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	if json.Unmarshal(raw, &calls) != nil {
		m.bytes += length(raw)
		return
	}
	for _, c := range calls {
		m.bytes += length(c.Function.Name) + length(c.Function.Arguments)
	}
}

// length is that of a text, or of whatever stands in its place.
func length(raw json.RawMessage) int64 {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return int64(len(text))
	}
	return int64(len(raw))
}

// total returns what a complete answer cost: what the provider says, else an
// estimate from above.
func (m *chatMeter) total() []contract.Unit {
	input, output := m.input, min((m.bytes+1)/2, m.most)
	if m.said.credible() {
		input = m.said.PromptTokens
		if m.said.CompletionTokens > 0 || m.bytes == 0 {
			output = m.said.CompletionTokens
		}
	}
	return m.cost(input, output)
}

func (m *chatMeter) cost(input, output int64) []contract.Unit {
	return append(units(inputUnit(m.model), input), units(outputUnit(m.model), output)...)
}
