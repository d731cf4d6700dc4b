package foreign

import (
	"encoding/base64"
	"net/http"
	"strings"
)

// seal is what nobody but the server reads.
func seal(thought string) string {
	return "gAAAAA" + base64.URLEncoding.EncodeToString([]byte(thought))
}

func readResponses(body map[string]any) (t talk, bad *refusal) {
	if bad = members(body, "", "model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "text", "include", "max_output_tokens", "temperature",
		"top_p", "stream", "store", "prompt_cache_key", "metadata", "truncation", "user"); bad != nil {
		return t, bad
	}
	if most, given := body["max_output_tokens"]; given && most != nil && number(most) < 16 {
		return t, invalid("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.")
	}
	if bad = members(object(body["reasoning"]), "reasoning.", "effort", "summary"); bad != nil {
		return t, bad
	}
	for _, one := range list(body["tools"]) {
		tool := object(one)
		if bad := checkTool(tool["type"], tool["name"], tool["description"], tool["parameters"]); bad != nil {
			return t, bad
		}
		if strict, given := tool["strict"].(bool); !given || strict { // it is so by default, and wants all members named
			return t, invalid("Invalid schema for function '%v': In context=(), 'additionalProperties' is required to be supplied and to be false.", tool["name"])
		}
		t.tools = append(t.tools, text(tool["name"]))
	}
	t.words += len(text(body["instructions"]))
	return t, t.items(list(body["input"]))
}

func (t *talk) items(items []any) *refusal {
	if len(items) == 0 {
		return invalid("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.")
	}
	calls, open, thinks, mine := map[string]bool{}, map[string]bool{}, false, false
	for i, one := range items {
		item := object(one)
		if id := text(item["id"]); id != "" {
			return &refusal{status: http.StatusNotFound, kind: "invalid_request_error", message: "Item with id '" + id + "' not found. Items are not persisted when `store` is set to false."}
		}
		kind := text(item["type"])
		own := kind == "reasoning" || kind == "function_call" || item["role"] == "assistant"
		if own && !mine {
			t.turns++
			t.results = nil
		}
		if thinks && !own {
			return invalid("Item of type 'reasoning' was provided without its required following item.")
		}
		mine, thinks = own, kind == "reasoning"
		switch kind {
		case "", "message":
			if bad := t.parts(item); bad != nil {
				return bad
			}
		case "reasoning":
			sealed := text(item["encrypted_content"])
			if _, given := item["summary"].([]any); !given {
				return invalid("Missing required parameter: 'input[%d].summary'.", i)
			}
			raw, err := base64.URLEncoding.DecodeString(strings.TrimPrefix(sealed, "gAAAAA"))
			if err != nil || !strings.HasPrefix(string(raw), "Turn ") {
				return &refusal{status: 400, kind: "invalid_request_error", message: "The encrypted content could not be verified.", code: "invalid_encrypted_content"}
			}
		case "function_call":
			id := text(item["call_id"])
			if _, isText := item["arguments"].(string); id == "" || len(id) > 64 || !isText || calls[id] {
				return invalid("Invalid 'input[%d].call_id'", i)
			}
			calls[id], open[id] = true, true
			t.words += len(text(item["arguments"]))
		case "function_call_output":
			id := text(item["call_id"])
			if !open[id] {
				return invalid("No tool call found for function call output with call_id %s.", id)
			}
			delete(open, id)
			if bad := t.output(item["output"]); bad != nil {
				return bad
			}
		default:
			return invalid("Invalid value: '%s'. (input[%d].type)", kind, i)
		}
	}
	for id := range open {
		return invalid("No tool output found for function call %s.", id)
	}
	if thinks {
		return invalid("Item of type 'reasoning' was provided without its required following item.")
	}
	return nil
}

func (t *talk) output(output any) *refusal {
	t.results = append(t.results, plain(output))
	t.words += len(plain(output))
	for _, p := range list(output) {
		part := object(p)
		if part["type"] != "input_text" && (part["type"] != "input_image" || !picture.MatchString(text(part["image_url"]))) {
			return invalid("Invalid value: '%v'. Supported values are: 'input_text', 'input_image', and 'input_file'.", part["type"])
		}
	}
	return nil
}

func (t *talk) parts(item map[string]any) *refusal {
	kind := "input_text"
	switch item["role"] {
	case "assistant":
		kind = "output_text"
	case "user", "system", "developer":
	default:
		return invalid("Invalid value: '%v'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", item["role"])
	}
	t.words += len(plain(item["content"]))
	for _, p := range list(item["content"]) {
		part := object(p)
		if part["type"] != kind && (part["type"] != "input_image" || item["role"] != "user" || !picture.MatchString(text(part["image_url"]))) {
			return invalid("Invalid value: '%v'. Supported values are: '%s'.", part["type"], kind)
		}
	}
	return nil
}

func writeResponses(w http.ResponseWriter, model string, r reply, live bool) {
	output := []any{map[string]any{"id": "rs_68af4030", "type": "reasoning", "summary": []any{}, "encrypted_content": seal(r.thought)}}
	if r.text != "" {
		output = append(output, map[string]any{"id": "msg_68af4033", "type": "message", "status": "completed", "role": "assistant",
			"content": []any{map[string]any{"type": "output_text", "annotations": []any{}, "logprobs": []any{}, "text": r.text}}})
	}
	for _, c := range r.calls {
		output = append(output, map[string]any{"id": "fc_" + c.id, "type": "function_call", "status": "completed", "arguments": c.arguments, "call_id": c.id, "name": c.name})
	}
	response := func(status string, output []any, usage any) map[string]any {
		return map[string]any{"id": "resp_68af4030", "object": "response", "created_at": 1756315696, "status": status, "background": false, "error": nil, "incomplete_details": nil,
			"model": model + "-2026", "output": output, "parallel_tool_calls": true, "previous_response_id": nil, "reasoning": map[string]any{"effort": "medium", "summary": nil},
			"store": false, "temperature": 1, "tool_choice": "auto", "truncation": "disabled", "usage": usage, "metadata": map[string]any{}}
	}
	usage := map[string]any{"input_tokens": r.read, "input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens": r.written(),
		"output_tokens_details": map[string]any{"reasoning_tokens": len(r.thought) / 4}, "total_tokens": r.read + r.written()}
	if !live {
		whole(w, response("completed", output, usage))
		return
	}
	e, n := newEvents(w), -1
	send := func(kind string, more map[string]any) {
		n++
		more["type"], more["sequence_number"] = kind, n
		e.send(kind, more)
	}
	send("response.created", map[string]any{"response": response("in_progress", []any{}, nil)})
	send("response.in_progress", map[string]any{"response": response("in_progress", []any{}, nil)})
	for i, one := range output {
		item := object(one)
		begun := map[string]any{}
		for k, v := range item {
			begun[k] = v
		}
		at := func(more map[string]any) map[string]any {
			more["item_id"], more["output_index"] = item["id"], i
			return more
		}
		switch item["type"] {
		case "message":
			begun["status"], begun["content"] = "in_progress", []any{}
		case "function_call":
			begun["status"], begun["arguments"] = "in_progress", ""
		}
		send("response.output_item.added", map[string]any{"output_index": i, "item": begun})
		switch item["type"] {
		case "message":
			send("response.content_part.added", at(map[string]any{"content_index": 0, "part": map[string]any{"type": "output_text", "annotations": []any{}, "logprobs": []any{}, "text": ""}}))
			for _, p := range pieces(r.text) {
				send("response.output_text.delta", at(map[string]any{"content_index": 0, "delta": p, "logprobs": []any{}, "obfuscation": "aXq2"}))
			}
			send("response.output_text.done", at(map[string]any{"content_index": 0, "text": r.text, "logprobs": []any{}}))
			send("response.content_part.done", at(map[string]any{"content_index": 0, "part": list(item["content"])[0]}))
		case "function_call":
			for _, p := range pieces(text(item["arguments"])) {
				send("response.function_call_arguments.delta", at(map[string]any{"delta": p, "obfuscation": "k"}))
			}
			send("response.function_call_arguments.done", at(map[string]any{"arguments": item["arguments"]}))
		}
		send("response.output_item.done", map[string]any{"output_index": i, "item": item})
	}
	send("response.completed", map[string]any{"response": response("completed", output, usage)})
}
