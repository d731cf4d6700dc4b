package foreign

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"net/http"
	"regexp"
	"strings"
)

var useID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

// sign is what a thought is known again by.
func sign(thought string) string {
	return fmt.Sprintf("EqMB%08x==", crc32.ChecksumIEEE([]byte(thought)))
}

func readMessages(body map[string]any) (t talk, bad *refusal) {
	if bad = members(body, "", "model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "output_config", "cache_control", "metadata", "stop_sequences", "stream",
		"temperature", "top_k", "top_p", "service_tier"); bad != nil {
		return t, bad
	}
	most := number(body["max_tokens"])
	thinking := object(body["thinking"])
	budget := number(thinking["budget_tokens"])
	switch {
	case most < 1:
		return t, invalid("max_tokens: Field required")
	case thinking["type"] == "enabled" && budget < 1024:
		return t, invalid("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case thinking["type"] == "enabled" && budget >= most:
		return t, invalid("`max_tokens` must be greater than `thinking.budget_tokens`.")
	}
	c := messagesCheck{talk: &t, thinks: thinking["type"] == "enabled"}
	for _, one := range list(body["tools"]) {
		tool := object(one)
		schema := object(tool["input_schema"])
		if !toolName.MatchString(text(tool["name"])) || schema["type"] != "object" {
			return t, invalid("tools.0.custom.input_schema.type: Field required")
		}
		if bad := checkSchema(text(tool["name"]), schema); bad != nil {
			return t, bad
		}
		t.tools = append(t.tools, text(tool["name"]))
		if bad := c.mark(tool); bad != nil {
			return t, bad
		}
	}
	if s, isText := body["system"].(string); isText {
		t.words += len(s)
	}
	for _, b := range list(body["system"]) {
		if bad := c.block("system", object(b), "text"); bad != nil {
			return t, bad
		}
	}
	return t, c.messages(list(body["messages"]))
}

type messagesCheck struct {
	*talk
	marks  int
	thinks bool
}

func (c *messagesCheck) mark(of map[string]any) *refusal {
	if of["cache_control"] == nil {
		return nil
	}
	if c.marks++; c.marks > 4 {
		return invalid("A maximum of 4 blocks with cache_control may be provided. Found %d.", c.marks)
	}
	if object(of["cache_control"])["type"] != "ephemeral" {
		return invalid("cache_control.type: Input should be 'ephemeral'")
	}
	return nil
}

func (c *messagesCheck) messages(messages []any) *refusal {
	open, was := map[string]bool{}, ""
	for i, one := range messages {
		m := object(one)
		role := text(m["role"])
		content := list(m["content"])
		if s, isText := m["content"].(string); isText {
			content = []any{map[string]any{"type": "text", "text": s}}
		}
		switch {
		case role != "user" && role != "assistant":
			return invalid("messages: Unexpected role %q. The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.", role)
		case i == 0 && role != "user":
			return invalid("messages: first message must use the \"user\" role")
		case len(content) == 0:
			return invalid("messages.%d: all messages must have non-empty content except for the optional final assistant message", i)
		case role == was:
			return invalid("messages: roles must alternate between \"user\" and \"assistant\", but found multiple %q roles in a row", role)
		}
		was = role
		if role == "assistant" {
			if len(open) > 0 {
				return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i)
			}
			if bad := c.own(i, content, open, i > len(messages)-3); bad != nil {
				return bad
			}
			continue
		}
		for n, b := range content {
			part := object(b)
			if part["type"] != "tool_result" {
				if len(open) > 0 {
					return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i-1)
				}
				if bad := c.block(fmt.Sprintf("messages.%d.content.%d", i, n), part, "text", "image"); bad != nil {
					return bad
				}
				continue
			}
			if bad := c.result(i, part, open); bad != nil {
				return bad
			}
		}
		if len(open) > 0 {
			return invalid("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after", i-1)
		}
	}
	return nil
}

// own checks a turn of the model's. The newest must begin with what it thought while it thinks.
func (c *messagesCheck) own(i int, content []any, open map[string]bool, newest bool) *refusal {
	c.turns++
	c.results = nil
	calls := false
	for n, b := range content {
		part := object(b)
		if bad := c.block(fmt.Sprintf("messages.%d.content.%d", i, n), part, "text", "thinking", "redacted_thinking", "tool_use"); bad != nil {
			return bad
		}
		if part["type"] == "tool_use" {
			calls = true
			if _, isObject := part["input"].(map[string]any); !isObject || !useID.MatchString(text(part["id"])) || open[text(part["id"])] {
				return invalid("messages.%d.content.%d.tool_use: Input should be a valid dictionary", i, n)
			}
			open[text(part["id"])] = true
		}
	}
	if kind := object(content[0])["type"]; c.thinks && calls && newest && kind != "thinking" && kind != "redacted_thinking" {
		return invalid("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%v`.", i, kind)
	}
	return nil
}

func (c *messagesCheck) result(i int, part map[string]any, open map[string]bool) *refusal {
	id := text(part["tool_use_id"])
	if !open[id] {
		return invalid("messages.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s", i, id)
	}
	delete(open, id)
	c.talk.results = append(c.talk.results, plain(part["content"]))
	for n, b := range list(part["content"]) {
		if bad := c.block(fmt.Sprintf("messages.%d.tool_result.content.%d", i, n), object(b), "text", "image"); bad != nil {
			return bad
		}
	}
	return c.mark(part)
}

func (c *messagesCheck) block(where string, part map[string]any, kinds ...string) *refusal {
	kind := text(part["type"])
	if !strings.Contains(" "+strings.Join(kinds, " ")+" ", " "+kind+" ") {
		return invalid("%s: Input tag '%s' found using 'type' does not match any of the expected tags", where, kind)
	}
	switch kind {
	case "text":
		if strings.TrimSpace(text(part["text"])) == "" {
			return invalid("%s: text content blocks must contain non-whitespace text", where)
		}
		c.words += len(text(part["text"]))
	case "image":
		if s := object(part["source"]); s["type"] != "base64" || !picture.MatchString("data:"+text(s["media_type"])+";base64,"+text(s["data"])) {
			return invalid("%s.image.source: invalid", where)
		}
		c.words += 4000
	case "thinking":
		if text(part["signature"]) != sign(text(part["thinking"])) {
			return invalid("%s: Invalid `signature` in `thinking` block", where)
		}
		if part["cache_control"] != nil {
			return invalid("%s.thinking.cache_control: Extra inputs are not permitted", where)
		}
	}
	return c.mark(part)
}

func writeMessages(w http.ResponseWriter, model string, r reply, live bool) {
	blocks := []any{map[string]any{"type": "thinking", "thinking": r.thought, "signature": sign(r.thought)}}
	if r.text != "" {
		blocks = append(blocks, map[string]any{"type": "text", "text": r.text})
	}
	for _, c := range r.calls {
		blocks = append(blocks, map[string]any{"type": "tool_use", "id": "toolu_" + c.id, "name": c.name, "input": json.RawMessage(c.arguments)})
	}
	stop := "tool_use"
	if r.stops() {
		stop = "end_turn"
	}
	usage := map[string]any{"input_tokens": r.read, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": r.written(), "service_tier": "standard"}
	message := map[string]any{"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant", "model": model + "-2026", "content": blocks, "stop_reason": stop, "stop_sequence": nil, "usage": usage}
	if !live {
		whole(w, message)
		return
	}
	e := newEvents(w)
	send := func(kind string, more map[string]any) {
		more["type"] = kind
		e.send(kind, more)
	}
	begun := map[string]any{}
	for k, v := range message {
		begun[k] = v
	}
	begun["content"], begun["stop_reason"] = []any{}, nil
	begun["usage"] = map[string]any{"input_tokens": r.read, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1, "service_tier": "standard"}
	send("message_start", map[string]any{"message": begun})
	send("ping", map[string]any{})
	for i, one := range blocks {
		b := object(one)
		delta := func(d map[string]any) { send("content_block_delta", map[string]any{"index": i, "delta": d}) }
		switch b["type"] {
		case "thinking":
			send("content_block_start", map[string]any{"index": i, "content_block": map[string]any{"type": "thinking", "thinking": "", "signature": ""}})
			delta(map[string]any{"type": "thinking_delta", "thinking": r.thought})
			delta(map[string]any{"type": "signature_delta", "signature": b["signature"]})
		case "text":
			send("content_block_start", map[string]any{"index": i, "content_block": map[string]any{"type": "text", "text": ""}})
			for _, p := range pieces(r.text) {
				delta(map[string]any{"type": "text_delta", "text": p})
			}
		case "tool_use":
			send("content_block_start", map[string]any{"index": i, "content_block": map[string]any{"type": "tool_use", "id": b["id"], "name": b["name"], "input": map[string]any{}}})
			delta(map[string]any{"type": "input_json_delta", "partial_json": ""})
			for _, p := range pieces(string(b["input"].(json.RawMessage))) {
				delta(map[string]any{"type": "input_json_delta", "partial_json": p})
			}
		}
		send("content_block_stop", map[string]any{"index": i})
	}
	send("message_delta", map[string]any{"delta": map[string]any{"stop_reason": stop, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": r.written()}})
	send("message_stop", map[string]any{})
}
