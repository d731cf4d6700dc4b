package fakeprovider

import (
	"regexp"
	"strings"
)

var toolName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)

// maxMarks is how many cache marks a request may have.
const maxMarks = 4

// checkMessages checks a request of Anthropic's wire.
func (rules Rules) checkMessages(body map[string]any) *fault {
	if name := checkMembers(body, "", "model", "messages", "system", "max_tokens", "tools", "tool_choice", "thinking", "output_config",
		"temperature", "top_p", "top_k", "stop_sequences", "stream", "metadata", "cache_control"); name != "" {
		return bad("%s: Extra inputs are not permitted", name)
	}
	if number(body["max_tokens"]) < 1 {
		return bad("max_tokens: Field required")
	}
	if f := checkThinking(body); f != nil {
		return f
	}
	c := messagesCheck{rules: rules, thinks: text(object(body["thinking"])["type"]) == "enabled", used: map[string]bool{}}
	for i, t := range list(body["tools"]) {
		t := object(t)
		c.mark(t)
		switch {
		case rules.NoTools:
			return rules.noTools()
		case !toolName.MatchString(text(t["name"])):
			return bad("tools.%d.custom.name: String should match pattern '%s'", i, toolName)
		case object(t["input_schema"]) == nil:
			return bad("tools.%d.custom.input_schema: Field required", i)
		}
	}
	for _, block := range list(body["system"]) {
		c.mark(object(block))
	}
	messages := list(body["messages"])
	if len(messages) == 0 {
		return bad("messages: at least one message is required")
	}
	c.turn = lastTurn(messages)
	for i, m := range messages {
		if f := c.message(i, object(m)); f != nil {
			return f
		}
	}
	if c.marks > maxMarks {
		return bad("A maximum of %d blocks with cache_control may be provided. Found %d.", maxMarks, c.marks)
	}
	return c.answered(len(messages))
}

func checkThinking(body map[string]any) *fault {
	thinking := object(body["thinking"])
	if text(thinking["type"]) != "enabled" {
		return nil
	}
	budget, temperature := number(thinking["budget_tokens"]), body["temperature"]
	choice := text(object(body["tool_choice"])["type"])
	switch {
	case budget < 1024:
		return bad("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024")
	case budget >= number(body["max_tokens"]):
		return bad("`max_tokens` must be greater than `thinking.budget_tokens`.")
	case temperature != nil && number(temperature) != 1:
		return bad("`temperature` may only be set to 1 when thinking is enabled.")
	case choice == "any" || choice == "tool":
		return bad("Thinking may not be enabled when tool_choice forces tool use.")
	}
	return nil
}

// lastTurn is the newest user message that is not a tool's results alone.
func lastTurn(messages []any) int {
	for i := len(messages) - 1; i >= 0; i-- {
		m := object(messages[i])
		blocks := list(m["content"])
		if text(m["role"]) == "user" && (len(blocks) == 0 || text(object(blocks[0])["type"]) != "tool_result") {
			return i
		}
	}
	return 0
}

// messagesCheck goes through a conversation.
type messagesCheck struct {
	rules  Rules
	thinks bool
	turn   int // where the newest turn begins
	marks  int
	open   []string        // calls of the last message
	used   map[string]bool // ids of calls
}

func (c *messagesCheck) mark(block map[string]any) {
	if block["cache_control"] != nil {
		c.marks++
	}
}

// answered refuses to go on while calls of the message before have no result.
func (c *messagesCheck) answered(i int) *fault {
	if len(c.open) == 0 {
		return nil
	}
	return bad("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. "+
		"Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i-1, strings.Join(c.open, ", "))
}

func (c *messagesCheck) message(i int, m map[string]any) *fault {
	role := text(m["role"])
	if role != "user" && role != "assistant" {
		return bad("messages: Unexpected role %q. The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.", role)
	}
	if i == 0 && role != "user" {
		return bad("messages: first message must use the \"user\" role")
	}
	blocks := list(m["content"])
	if s, isText := m["content"].(string); isText {
		blocks = []any{map[string]any{"type": "text", "text": s}}
	}
	if len(blocks) == 0 {
		return bad("messages.%d: all messages must have non-empty content", i)
	}
	results := true // they come first
	for n, b := range blocks {
		b := object(b)
		c.mark(b)
		if text(b["type"]) == "tool_result" {
			if !results {
				return c.answered(i)
			}
			if f := c.result(i, n, b); f != nil {
				return f
			}
			continue
		}
		if results {
			if f := c.answered(i); f != nil {
				return f
			}
			results = false
		}
		if f := c.block(i, n, role, b); f != nil {
			return f
		}
	}
	if role == "user" {
		return c.answered(i)
	}
	return c.thought(i, blocks)
}

func (c *messagesCheck) result(i, n int, b map[string]any) *fault {
	id := text(b["tool_use_id"])
	for at, open := range c.open {
		if open == id {
			c.open = append(c.open[:at:at], c.open[at+1:]...)
			for m, part := range list(b["content"]) {
				if f := c.block(i, m, "user", object(part)); f != nil {
					return f
				}
			}
			return nil
		}
	}
	return bad("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %s. "+
		"Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", i, n, id)
}

func (c *messagesCheck) block(i, n int, role string, b map[string]any) *fault {
	switch kind := text(b["type"]); {
	case kind == "text" && text(b["text"]) == "":
		return bad("messages: text content blocks must be non-empty")
	case kind == "text":
	case kind == "image" && role == "user":
		source := object(b["source"])
		if text(source["type"]) != "base64" {
			return bad("messages.%d.content.%d.image.source: only base64 is known here", i, n)
		}
		return c.rules.checkPicture(text(source["media_type"]), text(source["data"]))
	case kind == "tool_use" && role == "assistant":
		id := text(b["id"])
		if id == "" || object(b["input"]) == nil {
			return bad("messages.%d.content.%d.tool_use.input: Input should be a valid dictionary", i, n)
		}
		if c.used[id] {
			return bad("messages.%d.content.%d: `tool_use` ids must be unique", i, n)
		}
		c.used[id], c.open = true, append(c.open, id)
	case kind == "thinking" && role == "assistant":
		if text(b["signature"]) != Sign(text(b["thinking"])) {
			return bad("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, n)
		}
		return unmarked(i, n, b)
	case kind == "redacted_thinking" && role == "assistant":
		if !unsealed(text(b["data"])) {
			return bad("messages.%d.content.%d: Invalid `data` in `redacted_thinking` block", i, n)
		}
		return unmarked(i, n, b)
	default:
		return bad("messages.%d.content.%d: Input tag '%s' found using 'type' does not match any of the expected tags", i, n, kind)
	}
	return nil
}

func unmarked(i, n int, b map[string]any) *fault {
	if b["cache_control"] == nil {
		return nil
	}
	return bad("messages.%d.content.%d.thinking.cache_control: Extra inputs are not permitted", i, n)
}

// thought checks that the newest turn comes back with what was thought before its
// calls.
func (c *messagesCheck) thought(i int, blocks []any) *fault {
	first := text(object(blocks[0])["type"])
	if !c.thinks || i < c.turn || len(c.open) == 0 || first == "thinking" || first == "redacted_thinking" {
		return nil
	}
	return bad("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. "+
		"When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of "+
		"`tool_use` and `tool_result` blocks).", i, first)
}
