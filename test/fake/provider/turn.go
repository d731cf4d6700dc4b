package fakeprovider

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strings"
)

// Turn is an answer that is the same on each of the three wires.
type Turn struct {
	Reasoning string // handed out with a signature, or sealed
	Text      string
	Tools     []ToolCall
	// Took is what the answer says that it took; nil: nothing.
	Took *Took
	Cut  bool // the cap was reached
	// Unsaid: nothing but what it took says that it was cut.
	Unsaid bool
	// Breaks ends a stream with an error of that type before its end.
	Breaks string
	// Every cuts a stream after so many bytes, Truncate ends it.
	Every, Truncate int
	// Manner is the server's: it says which form reasoning has in a chat.
	Manner Manner
}

// Took is what an answer took, in tokens: each is in one of the four.
type Took struct{ Input, Cached, Written, Output int }

// Answer answers on whatever wire it is asked.
func (t Turn) Answer() Answer {
	return func(p *Provider, w http.ResponseWriter, r *http.Request, q Request) {
		switch {
		case strings.HasSuffix(q.Path, "/messages"):
			t.write(w, q, t.message(q), t.messageEvents(q))
		case strings.HasSuffix(q.Path, "/responses"):
			t.write(w, q, t.response(q), t.responseEvents(q))
		default:
			t.chat().Answer()(p, w, r, q)
		}
	}
}

func (t Turn) chat() Chat {
	c := Chat{Text: t.Text, Tools: t.Tools, Every: t.Every, Truncate: t.Truncate, Signed: t.Manner == Gemini, Listed: t.Manner == Mistral}
	if t.Manner != Gemini {
		c.Reasoning = t.Reasoning
	}
	if t.Cut && !t.Unsaid {
		c.Finish = "length"
	}
	if took := t.Took; took != nil {
		prompt := took.Input + took.Cached + took.Written
		c.Usage = &Usage{PromptTokens: prompt, CompletionTokens: took.Output, TotalTokens: prompt + took.Output}
		if took.Cached+took.Written > 0 {
			c.Usage.Prompt = &PromptDetails{CachedTokens: took.Cached, CacheWriteTokens: took.Written}
		}
	}
	return c
}

// event is one of a stream.
type event map[string]any

func (t Turn) write(w http.ResponseWriter, q Request, whole map[string]any, events []event) {
	if stream, _ := q.Body["stream"].(bool); !stream {
		w.Header().Set("Content-Type", "application/json")
		send(w, marshal(whole), t.Every, t.Truncate)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	var raw []byte
	for _, e := range events {
		raw = fmt.Appendf(raw, "event: %s\ndata: %s\n\n", e["type"], marshal(e))
	}
	send(w, raw, t.Every, t.Truncate)
}

// blocks are the content of a message.
func (t Turn) blocks() []map[string]any {
	var out []map[string]any
	if t.Reasoning != "" {
		out = append(out, map[string]any{"type": "thinking", "thinking": t.Reasoning, "signature": Sign(t.Reasoning)})
	}
	if t.Text != "" {
		out = append(out, map[string]any{"type": "text", "text": t.Text})
	}
	for _, c := range t.Tools {
		var input any
		if decode(c.Arguments, &input); input == nil {
			input = c.Arguments // that were cut
		}
		out = append(out, map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": input})
	}
	return out
}

func (t Turn) stop() string {
	switch {
	case t.Cut && !t.Unsaid:
		return "max_tokens"
	case len(t.Tools) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func (t Turn) messageUsage() map[string]any {
	if t.Took == nil {
		return map[string]any{"input_tokens": 0, "output_tokens": 0}
	}
	return map[string]any{
		"input_tokens": t.Took.Input, "cache_read_input_tokens": t.Took.Cached, "cache_creation_input_tokens": t.Took.Written,
		"output_tokens": t.Took.Output, "service_tier": "standard",
	}
}

func (t Turn) message(q Request) map[string]any {
	return map[string]any{
		"id": "msg_fake", "type": "message", "role": "assistant", "model": q.Body["model"], "content": t.blocks(),
		"stop_reason": t.stop(), "stop_sequence": nil, "usage": t.messageUsage(),
	}
}

func (t Turn) messageEvents(q Request) []event {
	begun := t.message(q)
	usage := t.messageUsage()
	usage["output_tokens"] = 1
	begun["content"], begun["stop_reason"], begun["usage"] = []any{}, nil, usage
	out := []event{{"type": "message_start", "message": begun}, {"type": "ping"}}
	for i, b := range t.blocks() {
		start := maps.Clone(b)
		var deltas []map[string]any
		switch b["type"] {
		case "thinking":
			start["thinking"], start["signature"] = "", ""
			deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": b["thinking"]}, map[string]any{"type": "signature_delta", "signature": b["signature"]})
		case "text":
			start["text"] = ""
			for word := range pieces(t.Text) {
				deltas = append(deltas, map[string]any{"type": "text_delta", "text": word})
			}
		case "tool_use":
			start["input"] = map[string]any{}
			arguments := string(marshal(b["input"]))
			if cut, ok := b["input"].(string); ok {
				arguments = cut
			}
			for word := range pieces(arguments) {
				deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": word})
			}
		}
		out = append(out, event{"type": "content_block_start", "index": i, "content_block": start})
		for _, d := range deltas {
			out = append(out, event{"type": "content_block_delta", "index": i, "delta": d})
		}
		out = append(out, event{"type": "content_block_stop", "index": i})
	}
	if t.Breaks != "" {
		return append(out, event{"type": "error", "error": map[string]any{"type": t.Breaks, "message": "Overloaded"}})
	}
	return append(out, event{
		"type": "message_delta", "delta": map[string]any{"stop_reason": t.stop(), "stop_sequence": nil}, "usage": t.messageUsage(),
	}, event{"type": "message_stop"})
}

// items are the output of a response.
func (t Turn) items() []map[string]any {
	var out []map[string]any
	switch {
	case t.Reasoning != "" && t.Manner == VLLM: // in the open
		out = append(out, map[string]any{"id": "rs_fake", "type": "reasoning", "summary": []any{}, "content": []any{map[string]any{"type": "reasoning_text", "text": t.Reasoning}}})
	case t.Reasoning != "":
		out = append(out, map[string]any{"id": "rs_fake", "type": "reasoning", "summary": []any{}, "encrypted_content": sealed(t.Reasoning)})
	}
	if t.Text != "" {
		out = append(out, map[string]any{
			"id": "msg_fake", "type": "message", "status": "completed", "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "text": t.Text, "annotations": []any{}}},
		})
	}
	for i, c := range t.Tools {
		out = append(out, map[string]any{
			"id": fmt.Sprintf("fc_fake%d", i), "type": "function_call", "status": "completed", "call_id": c.ID, "name": c.Name, "arguments": c.Arguments,
		})
	}
	return out
}

func (t Turn) response(q Request) map[string]any {
	body := map[string]any{
		"id": "resp_fake", "object": "response", "created_at": 1700000000, "status": "completed", "model": q.Body["model"], "error": nil,
		"incomplete_details": nil, "instructions": q.Body["instructions"], "output": t.items(), "store": false,
	}
	if t.Cut && !t.Unsaid {
		body["status"], body["incomplete_details"] = "incomplete", map[string]any{"reason": "max_output_tokens"}
	}
	if u := t.Took; u != nil {
		input := u.Input + u.Cached + u.Written
		body["usage"] = map[string]any{
			"input_tokens": input, "input_tokens_details": map[string]any{"cached_tokens": u.Cached, "cache_write_tokens": u.Written},
			"output_tokens": u.Output, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": input + u.Output,
		}
	}
	return body
}

func (t Turn) responseEvents(q Request) []event {
	begun := t.response(q)
	begun["status"], begun["output"], begun["usage"] = "in_progress", []any{}, nil
	out := []event{{"type": "response.created", "response": begun}, {"type": "response.in_progress", "response": begun}}
	for i, item := range t.items() {
		start := maps.Clone(item)
		var deltas []event
		switch item["type"] {
		case "message":
			start["content"] = []any{}
			part := map[string]any{"type": "output_text", "text": "", "annotations": []any{}}
			deltas = append(deltas, event{"type": "response.content_part.added", "output_index": i, "content_index": 0, "part": part})
			for word := range pieces(t.Text) {
				deltas = append(deltas, event{"type": "response.output_text.delta", "output_index": i, "content_index": 0, "delta": word})
			}
			deltas = append(deltas, event{"type": "response.output_text.done", "output_index": i, "content_index": 0, "text": t.Text})
		case "function_call":
			start["arguments"] = ""
			for word := range pieces(text(item["arguments"])) {
				deltas = append(deltas, event{"type": "response.function_call_arguments.delta", "output_index": i, "delta": word})
			}
			deltas = append(deltas, event{"type": "response.function_call_arguments.done", "output_index": i, "arguments": item["arguments"]})
		}
		out = append(out, event{"type": "response.output_item.added", "output_index": i, "item": start})
		out = append(out, deltas...)
		out = append(out, event{"type": "response.output_item.done", "output_index": i, "item": item})
	}
	if t.Breaks != "" {
		failed := t.response(q)
		failed["status"], failed["usage"], failed["error"] = "failed", nil, map[string]any{"code": t.Breaks, "message": "The server had an error."}
		return append(out, event{"type": "response.failed", "response": failed})
	}
	end := cmp.Or(map[bool]string{true: "response.incomplete"}[t.Cut && !t.Unsaid], "response.completed")
	out = append(out, event{"type": end, "response": t.response(q)})
	for i := range out {
		out[i]["sequence_number"] = i
	}
	return out
}
