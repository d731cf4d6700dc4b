package fakeprovider

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
)

// Usage is what an answer says that it used.
type Usage struct {
	PromptTokens     int            `json:"prompt_tokens"`
	CompletionTokens int            `json:"completion_tokens"`
	TotalTokens      int            `json:"total_tokens"`
	Prompt           *PromptDetails `json:"prompt_tokens_details,omitempty"`
}

// PromptDetails say which of a prompt's tokens a cache had, or was given.
type PromptDetails struct {
	CachedTokens     int `json:"cached_tokens"`
	CacheWriteTokens int `json:"cache_write_tokens,omitempty"`
}

// ToolCall is a tool the model wants called. Without an ID it comes without
// one, as from some servers.
type ToolCall struct {
	ID        string
	Name      string
	Arguments string // JSON
}

// Chat is an answer to a chat completion, streamed or not as it is asked for.
type Chat struct {
	Text  string
	Tools []ToolCall
	// Reasoning is what the model thought, as reasoning_content.
	Reasoning string
	// Listed has it stand in the content, which is a list then, as with Mistral.
	Listed bool
	// Signed gives the first tool call a thought signature, as Gemini does.
	Signed bool
	// Usage is sent when it is set: in a stream only if it was asked for.
	Usage *Usage
	// Every cuts a stream after so many bytes, wherever that is; 0 sends event
	// by event.
	Every int
	// ArgumentsAsObject sends a tool's arguments as an object, not as text.
	ArgumentsAsObject bool
	// ArgumentsIn sends a tool's arguments in so many pieces, each in a chunk of
	// its own; 0 means one.
	ArgumentsIn int
	// Bytes streams the text, and each tool's arguments, in chunks of so many
	// bytes, the parts of a character in chunks of their own as well; 0 keeps
	// characters whole. Such chunks are no JSON.
	Bytes int
	// Finish is why the answer ended; "" is what fits it.
	Finish string
	// NoEnd ends a stream without [DONE].
	NoEnd bool
	// Truncate cuts the answer off after so many bytes; 0 doesn't.
	Truncate int
}

// Says answers with a text and its usage.
func Says(text string) Answer {
	return Chat{Text: text, Usage: &Usage{PromptTokens: 11, CompletionTokens: 7, TotalTokens: 18}}.Answer()
}

// Answer makes a script of it.
func (c Chat) Answer() Answer {
	return func(_ *Provider, w http.ResponseWriter, _ *http.Request, q Request) {
		if stream, _ := q.Body["stream"].(bool); stream {
			w.Header().Set("Content-Type", "text/event-stream")
			send(w, c.stream(q), c.Every, c.Truncate)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		send(w, c.whole(q), c.Every, c.Truncate)
	}
}

// send sends raw, cut off after so many bytes, in the pieces that are wanted, each at
// once.
func send(w http.ResponseWriter, raw []byte, every, truncate int) {
	if truncate > 0 {
		raw = raw[:min(truncate, len(raw))]
	}
	flush := http.NewResponseController(w).Flush
	if every <= 0 {
		every = len(raw)
	}
	for len(raw) > 0 {
		n := min(every, len(raw))
		if _, err := w.Write(raw[:n]); err != nil || flush() != nil {
			return
		}
		raw = raw[n:]
	}
}

func (c Chat) whole(q Request) []byte {
	message := map[string]any{"role": "assistant", "content": c.Text}
	switch {
	case c.Reasoning != "" && c.Listed:
		message["content"] = append(c.thought(), map[string]any{"type": "text", "text": c.Text})
	case c.Reasoning != "":
		message["reasoning_content"] = c.Reasoning
	}
	if len(c.Tools) > 0 {
		message["tool_calls"] = c.tools(false)
	}
	body := map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "created": 1700000000, "model": q.Body["model"],
		"system_fingerprint": "fp_fake",
		"choices":            []any{map[string]any{"index": 0, "message": message, "finish_reason": c.finish()}},
	}
	if c.Usage != nil {
		body["usage"] = c.Usage
	}
	return marshal(body)
}

func (c Chat) stream(q Request) []byte {
	var out []byte
	chunk := func(choices []any, usage *Usage) {
		body := map[string]any{
			"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": q.Body["model"],
			"choices": choices,
		}
		if usage != nil {
			body["usage"] = usage
		}
		out = fmt.Appendf(out, "data: %s\n\n", parted(marshal(body)))
	}
	delta := func(d map[string]any, finish any) {
		chunk([]any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}, nil)
	}
	delta(map[string]any{"role": "assistant", "content": ""}, nil)
	switch {
	case c.Reasoning != "" && c.Listed:
		delta(map[string]any{"content": c.thought()}, nil)
	case c.Reasoning != "":
		delta(map[string]any{"reasoning_content": c.Reasoning}, nil)
	}
	for _, word := range c.words() {
		delta(map[string]any{"content": word}, nil)
	}
	for _, part := range c.deltas() {
		delta(map[string]any{"tool_calls": part}, nil)
	}
	delta(map[string]any{}, c.finish())
	options, _ := q.Body["stream_options"].(map[string]any)
	if asked, _ := options["include_usage"].(bool); asked && c.Usage != nil {
		chunk([]any{}, c.Usage)
	}
	if !c.NoEnd {
		out = append(out, "data: [DONE]\n\n"...)
	}
	return out
}

// thought is what the model thought as a part of a content.
func (c Chat) thought() []any {
	return []any{map[string]any{"type": "thinking", "thinking": []any{map[string]any{"type": "text", "text": c.Reasoning}}}}
}

// words are a text as a stream has it.
func (c Chat) words() []string {
	if c.Bytes > 0 {
		return parts(c.Text, c.Bytes)
	}
	return slices.Collect(pieces(c.Text))
}

// pieces cuts a text into tokens of four bytes, at whole characters.
func pieces(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		begin := 0
		for i := range text {
			if i-begin >= 4 {
				if !yield(text[begin:i]) {
					return
				}
				begin = i
			}
		}
		if begin < len(text) {
			yield(text[begin:])
		}
	}
}

func (c Chat) finish() string {
	switch {
	case c.Finish != "":
		return c.Finish
	case len(c.Tools) > 0:
		return "tool_calls"
	}
	return "stop"
}

// deltas are the tool calls as a stream has them, chunk by chunk.
func (c Chat) deltas() [][]any {
	if len(c.Tools) == 0 {
		return nil
	}
	if c.ArgumentsIn < 2 && c.Bytes == 0 {
		return [][]any{c.tools(true)}
	}
	var out [][]any
	for i, t := range c.Tools {
		head := map[string]any{"index": i, "type": "function", "function": map[string]any{"name": t.Name, "arguments": ""}}
		if t.ID != "" {
			head["id"] = t.ID
		}
		c.sign(head, i)
		out = append(out, []any{head})
		for _, piece := range c.arguments(t.Arguments) {
			out = append(out, []any{map[string]any{"index": i, "function": map[string]any{"arguments": piece}}})
		}
	}
	return out
}

// arguments are those of a tool as a stream has them.
func (c Chat) arguments(text string) (pieces []string) {
	if c.Bytes > 0 {
		return parts(text, c.Bytes)
	}
	for n := range c.ArgumentsIn {
		pieces = append(pieces, text[len(text)*n/c.ArgumentsIn:len(text)*(n+1)/c.ArgumentsIn])
	}
	return pieces
}

func (c Chat) tools(indexed bool) []any {
	var list []any
	for i, t := range c.Tools {
		arguments := any(t.Arguments)
		if c.ArgumentsAsObject {
			arguments = json.RawMessage(t.Arguments)
		}
		call := map[string]any{"type": "function", "function": map[string]any{"name": t.Name, "arguments": arguments}}
		if t.ID != "" {
			call["id"] = t.ID
		}
		c.sign(call, i)
		if indexed {
			call["index"] = i
		}
		list = append(list, call)
	}
	return list
}

// sign gives the first call its signature.
func (c Chat) sign(call map[string]any, i int) {
	if c.Signed && i == 0 {
		call["extra_content"] = map[string]any{"google": map[string]any{"thought_signature": Sign(c.Tools[0].Name + c.Tools[0].Arguments)}}
	}
}

func marshal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // what tests script always marshals
	}
	return raw
}
