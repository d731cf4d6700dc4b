package egress

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/svc-games/svc/api/sse"
)

// completion holds the members of an answer, or of a chunk of one, that are
// passed on.
type completion struct {
	ID      string          `json:"id,omitempty"`
	Object  string          `json:"object,omitempty"`
	Created int64           `json:"created,omitempty"`
	Model   string          `json:"model"`
	Choices json.RawMessage `json:"choices"`
	Usage   *chatUsage      `json:"usage,omitempty"`
}

// answered is what a provider sends.
type answered struct {
	completion
	Usage json.RawMessage `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// chatUsage is what a provider says a completion used.
type chatUsage struct {
	PromptTokens     int64          `json:"prompt_tokens"`
	CompletionTokens int64          `json:"completion_tokens"`
	TotalTokens      int64          `json:"total_tokens"`
	Prompt           *promptDetails `json:"prompt_tokens_details,omitempty"`
	Completion       *writtenTokens `json:"completion_tokens_details,omitempty"`
	// CacheHit and Cached are what DeepSeek and Moonshot have in place of Prompt.
	CacheHit int64 `json:"prompt_cache_hit_tokens,omitempty"`
	Cached   int64 `json:"cached_tokens,omitempty"`
}

type promptDetails struct {
	CachedTokens     int64 `json:"cached_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens,omitempty"`
}

type writtenTokens struct {
	ReasoningTokens int64 `json:"reasoning_tokens"`
}

// counted splits a usage up. The prompt's tokens include those of the cache. Some
// servers leave what was thought out of what was written, and only their total
// has it.
func (u *chatUsage) counted() counted {
	cached, written := max(u.CacheHit, u.Cached), int64(0)
	if u.Prompt != nil {
		cached, written = max(cached, u.Prompt.CachedTokens), u.Prompt.CacheWriteTokens
	}
	return outOf(u.PromptTokens, cached, written, withThought(u.PromptTokens, u.CompletionTokens, u.TotalTokens))
}

func withThought(read, wrote, total int64) int64 {
	if read < 0 || wrote < 0 || total > maxTokensOfCall {
		return wrote
	}
	return max(wrote, total-read)
}

// chatWire reads answers of Chat Completions.
type chatWire struct {
	*meter
	finished bool
}

func (c *chatWire) whole(raw []byte) ([]byte, error) { return c.read(raw) }

func (c *chatWire) next(rec sse.Record) (out []byte, last bool, err error) {
	if bytes.Equal(bytes.TrimSpace(rec.Data), []byte("[DONE]")) {
		return chatEnd, true, nil
	}
	chunk, err := c.read(rec.Data)
	if err != nil {
		return nil, false, err
	}
	return event(chunk), false, nil
}

var chatEnd = event([]byte("[DONE]"))

// end: some providers end without saying so.
func (c *chatWire) end() []byte {
	if !c.finished {
		return nil
	}
	return chatEnd
}

func (c *chatWire) broken(r *refusal) []byte { return event(r.body()) }

func event(data []byte) []byte { return fmt.Appendf(nil, "data: %s\n\n", data) }

// read takes an answer or a chunk into account and returns what is passed on.
func (c *chatWire) read(raw []byte) ([]byte, error) {
	var a answered
	if err := json.Unmarshal(raw, &a); err != nil {
		return nil, fmt.Errorf("reading answer: %w", noContent(err))
	}
	if !isNull(a.Error) {
		return nil, errorOf(a.Error)
	}
	if len(a.Choices) == 0 || a.Choices[0] != '[' {
		a.Choices = json.RawMessage("[]")
	}
	usage := c.count(a.Choices)
	if !isNull(a.Usage) {
		usage = a.Usage
	}
	var u chatUsage
	if !isNull(usage) && json.Unmarshal(usage, &u) == nil {
		said := u.counted()
		if u.Prompt == nil && said.cached > 0 { // where engines look for it
			u.Prompt = &promptDetails{CachedTokens: said.cached}
		}
		a.completion.Usage, c.said = &u, &said
	}
	a.Model = c.model
	return marshal(a.completion)
}

// choice is a part of an answer as far as it is counted. What has another shape
// counts by its length.
type choice struct {
	Delta        *spoken `json:"delta"`
	Message      *spoken `json:"message"`
	FinishReason *string `json:"finish_reason"`
	// Usage is where Moonshot's streams have what they took.
	Usage json.RawMessage `json:"usage"`
}

type spoken struct {
	Content          json.RawMessage `json:"content"`
	Refusal          json.RawMessage `json:"refusal"`
	Reasoning        json.RawMessage `json:"reasoning"`
	ReasoningContent json.RawMessage `json:"reasoning_content"`
	ToolCalls        json.RawMessage `json:"tool_calls"`
}

// count adds choices to what was written, and returns the usage that stands in one.
func (c *chatWire) count(raw json.RawMessage) (usage json.RawMessage) {
	var choices []choice
	if json.Unmarshal(raw, &choices) != nil {
		c.wrote(raw)
		return nil
	}
	for _, one := range choices {
		for _, s := range []*spoken{one.Delta, one.Message} {
			if s != nil {
				c.wrote(s.Content, s.Refusal, s.Reasoning, s.ReasoningContent)
				c.countTools(s.ToolCalls)
			}
		}
		c.finished = c.finished || one.FinishReason != nil && *one.FinishReason != ""
		if !isNull(one.Usage) {
			usage = one.Usage
		}
	}
	return usage
}

func (c *chatWire) countTools(raw json.RawMessage) {
	var calls []struct {
		Function struct {
			Name      json.RawMessage `json:"name"`
			Arguments json.RawMessage `json:"arguments"`
		} `json:"function"`
	}
	if json.Unmarshal(raw, &calls) != nil {
		c.wrote(raw)
		return
	}
	for _, call := range calls {
		c.wrote(call.Function.Name, call.Function.Arguments)
	}
}
