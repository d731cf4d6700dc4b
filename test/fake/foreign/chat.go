package foreign

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
)

var (
	toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)
	picture  = regexp.MustCompile(`^data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$`)
)

// readChat reads a chat completion as a reasoning model's endpoint does.
func readChat(body map[string]any) (t talk, bad *refusal) {
	if bad = members(body, "", "model", "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort", "prompt_cache_key", "temperature", "top_p",
		"presence_penalty", "frequency_penalty", "seed", "stop", "max_tokens", "max_completion_tokens", "stream", "stream_options"); bad != nil {
		return t, bad
	}
	if _, old := body["max_tokens"]; old {
		bad = invalid("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.")
		bad.code = "unsupported_parameter"
		return t, bad
	}
	if _, given := body["stream_options"]; given && body["stream"] != true {
		return t, invalid("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	}
	for _, one := range list(body["tools"]) {
		f := object(object(one)["function"])
		if bad := checkTool(object(one)["type"], f["name"], f["description"], f["parameters"]); bad != nil {
			return t, bad
		}
		t.tools = append(t.tools, text(f["name"]))
	}
	return t, t.chat(list(body["messages"]))
}

// checkTool checks a function.
func checkTool(kind, name, description, parameters any) *refusal {
	switch {
	case kind != "function":
		return invalid("Invalid value: '%v'. Supported values are: 'function' and 'custom'.", kind)
	case !toolName.MatchString(text(name)):
		return invalid("Invalid 'tools[0].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.")
	case len(text(description)) > 1024:
		return invalid("Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024.")
	}
	return checkSchema(text(name), object(parameters))
}

// checkSchema checks what a function takes.
func checkSchema(tool string, schema map[string]any) *refusal {
	switch schema["type"] {
	case "object":
		for _, p := range object(schema["properties"]) {
			if bad := checkSchema(tool, object(p)); bad != nil {
				return bad
			}
		}
		for _, name := range list(schema["required"]) {
			if _, there := object(schema["properties"])[text(name)]; !there {
				return invalid("Invalid schema for function '%s': 'required' has %v, which is not in 'properties'.", tool, name)
			}
		}
	case "array":
		if schema["items"] == nil {
			return invalid("Invalid schema for function '%s': array schema missing items.", tool)
		}
		return checkSchema(tool, object(schema["items"]))
	case "string", "integer", "number", "boolean":
	default:
		return invalid("Invalid schema for function '%s': %v is not a type.", tool, schema["type"])
	}
	return nil
}

func (t *talk) chat(messages []any) *refusal {
	if len(messages) == 0 {
		return invalid("[] is too short - 'messages'")
	}
	open := map[string]bool{}
	for i, one := range messages {
		m := object(one)
		if m["role"] != "tool" && len(open) > 0 {
			return invalid("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. (messages[%d])", i)
		}
		switch m["role"] {
		case "system", "developer", "user":
			if bad := t.said(m["content"], m["role"] == "user"); bad != nil {
				return bad
			}
		case "assistant":
			t.turns++
			t.results = nil
			calls := list(m["tool_calls"])
			if _, given := m["tool_calls"]; given && len(calls) == 0 {
				return invalid("Invalid 'messages[%d].tool_calls': empty array. Expected an array with minimum length 1.", i)
			}
			if len(calls) == 0 && m["content"] == nil {
				return invalid("Invalid value for 'content': expected a string, got null.")
			}
			for _, c := range calls {
				f, id := object(object(c)["function"]), text(object(c)["id"])
				if id == "" || len(id) > 40 || object(c)["type"] != "function" || !toolName.MatchString(text(f["name"])) || !json.Valid([]byte(text(f["arguments"]))) {
					return invalid("Invalid 'messages[%d].tool_calls'", i)
				}
				open[id] = true
				t.words += len(text(f["arguments"]))
			}
		case "tool":
			id := text(m["tool_call_id"])
			if !open[id] {
				return invalid("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
			}
			delete(open, id)
			if bad := t.said(m["content"], false); bad != nil {
				return bad
			}
			t.results = append(t.results, plain(m["content"]))
		default:
			return invalid("Invalid value: '%v'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", m["role"])
		}
	}
	if len(open) > 0 {
		return invalid("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.")
	}
	return nil
}

// said checks a text, or parts.
func (t *talk) said(content any, pictures bool) *refusal {
	if s, ok := content.(string); ok {
		t.words += len(s)
		return nil
	}
	parts := list(content)
	if len(parts) == 0 {
		return invalid("Invalid value for 'content': expected a string or a non-empty array.")
	}
	for _, p := range parts {
		part := object(p)
		switch {
		case part["type"] == "text":
			t.words += len(text(part["text"]))
		case part["type"] == "image_url" && pictures && picture.MatchString(text(object(part["image_url"])["url"])):
			t.words += 4000
		default:
			return invalid("Invalid value: '%v'. Supported values are: 'text' and 'image_url'.", part["type"])
		}
	}
	return nil
}

// plain are the texts of a content.
func plain(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	var b strings.Builder
	for _, p := range list(content) {
		b.WriteString(text(object(p)["text"]))
	}
	return b.String()
}

func writeChat(w http.ResponseWriter, model string, r reply, live bool) {
	finish := "tool_calls"
	if r.stops() {
		finish = "stop"
	}
	usage := map[string]any{
		"prompt_tokens": r.read, "completion_tokens": r.written(), "total_tokens": r.read + r.written(),
		"prompt_tokens_details": map[string]any{"cached_tokens": 0, "audio_tokens": 0}, "completion_tokens_details": map[string]any{"reasoning_tokens": len(r.thought) / 4},
	}
	frame := func(object string, choices []any, usage any) map[string]any {
		return map[string]any{"id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT", "object": object, "created": 1741569952, "model": model + "-2026", "service_tier": "default",
			"system_fingerprint": "fp_44709d6fcb", "choices": choices, "usage": usage}
	}
	var calls []any
	for _, c := range r.calls {
		calls = append(calls, map[string]any{"id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": c.arguments}})
	}
	if !live {
		message := map[string]any{"role": "assistant", "content": r.text, "refusal": nil, "annotations": []any{}}
		if len(calls) > 0 {
			message["tool_calls"] = calls
		}
		whole(w, frame("chat.completion", []any{map[string]any{"index": 0, "message": message, "logprobs": nil, "finish_reason": finish}}, usage))
		return
	}
	e := newEvents(w)
	chunk := func(delta map[string]any, finish any) {
		e.send("", frame("chat.completion.chunk", []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}}, nil))
	}
	chunk(map[string]any{"role": "assistant", "content": "", "refusal": nil}, nil)
	for _, p := range pieces(r.text) {
		chunk(map[string]any{"content": p}, nil)
	}
	for i, c := range r.calls {
		chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "id": c.id, "type": "function", "function": map[string]any{"name": c.name, "arguments": ""}}}}, nil)
		for _, p := range pieces(c.arguments) {
			chunk(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{"arguments": p}}}}, nil)
		}
	}
	chunk(map[string]any{}, finish)
	e.send("", frame("chat.completion.chunk", []any{}, usage))
	_, _ = w.Write([]byte("data: [DONE]\n\n")) // the client may have left
}
