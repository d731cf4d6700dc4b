package fakeprovider

import (
	"fmt"
	"regexp"
	"strings"
)

// nineLetters are the ids that Mistral gives and takes.
var nineLetters = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

// checkChat checks a request for a chat completion.
func (rules Rules) checkChat(body map[string]any) *fault {
	if f := rules.checkCap(body); f != nil {
		return f
	}
	if name := checkMembers(body, "", rules.chatMembers()...); name != "" {
		return rules.unknown(name)
	}
	if tools := list(body["tools"]); len(tools) > 0 {
		if rules.NoTools {
			return rules.noTools()
		}
		for i, t := range tools {
			if f := rules.checkFunction(i, object(object(t)["function"])); f != nil {
				return f
			}
		}
	}
	c := chatCheck{rules: rules, turn: lastUser(list(body["messages"])), used: map[string]bool{}}
	for i, m := range list(body["messages"]) {
		if f := c.message(i, object(m)); f != nil {
			return f
		}
	}
	return c.answered()
}

func (rules Rules) checkCap(body map[string]any) *fault {
	other := map[string]string{"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[rules.Cap]
	if _, given := body[other]; other != "" && given {
		return bad("Unsupported parameter: '%s' is not supported with this model. Use '%s' instead.", other, rules.Cap).coded("unsupported_parameter")
	}
	return nil
}

// lastUser is where the newest turn begins.
func lastUser(messages []any) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if text(object(messages[i])["role"]) == "user" {
			return i
		}
	}
	return 0
}

// chatCheck goes through a conversation.
type chatCheck struct {
	rules Rules
	turn  int             // where the newest turn begins
	open  []string        // calls without a result
	used  map[string]bool // ids of calls
	order chatOrder
}

func (c *chatCheck) message(i int, m map[string]any) *fault {
	role := text(m["role"])
	if name := checkMembers(m, fmt.Sprintf("messages.%d.", i), c.rules.messageMembers()...); name != "" {
		return c.rules.unknown(name)
	}
	if f := c.order.next(c.rules, m); f != nil {
		return f
	}
	if role == "tool" {
		return c.result(m)
	}
	if f := c.answered(); f != nil {
		return f
	}
	switch role {
	case "system", "developer", "user":
		return c.content(m["content"], role == "user")
	case "assistant":
		return c.assistant(i, m)
	}
	return bad("Invalid value: '%s'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", role).coded("invalid_value")
}

// answered refuses to go on while a call has no result.
func (c *chatCheck) answered() *fault {
	if len(c.open) == 0 {
		return nil
	}
	return bad("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "+
		"The following tool_call_ids did not have response messages: %s", strings.Join(c.open, ", "))
}

func (c *chatCheck) result(m map[string]any) *fault {
	id := text(m["tool_call_id"])
	for i, open := range c.open {
		if open == id {
			c.open = append(c.open[:i:i], c.open[i+1:]...)
			return c.content(m["content"], false)
		}
	}
	return bad("Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.")
}

// content checks what is said; only users show pictures.
func (c *chatCheck) content(content any, pictures bool) *fault {
	if content == nil {
		return bad("Invalid value for 'content': expected a string, got null.")
	}
	for _, part := range list(content) {
		switch kind := text(object(part)["type"]); {
		case kind == "text":
		case kind == "image_url" && pictures:
			if f := c.rules.checkDataURL(text(object(object(part)["image_url"])["url"])); f != nil {
				return f
			}
		default:
			return bad("Invalid value: '%s'. Supported values are: 'text'.", kind).coded("invalid_value")
		}
	}
	return nil
}

func (c *chatCheck) assistant(i int, m map[string]any) *fault {
	calls := list(m["tool_calls"])
	if m["content"] == nil && len(calls) == 0 {
		return bad("Invalid value for 'content': expected a string, got null.")
	}
	if text(m["content"]) == "" && list(m["content"]) == nil && len(calls) == 0 && (c.rules.Manner == Mistral || c.rules.Manner == VLLM) {
		return bad("Assistant message must have either content or tool_calls, but not none.")
	}
	if _, present := m["tool_calls"]; present && len(calls) == 0 {
		return bad("Invalid 'messages[%d].tool_calls': empty array.", i).coded("empty_array")
	}
	for n, call := range calls {
		call := object(call)
		arguments, isText := object(call["function"])["arguments"].(string)
		switch id := text(call["id"]); {
		case id == "":
			return bad("Missing required parameter: 'messages[%d].tool_calls[%d].id'.", i, n).coded("missing_required_parameter")
		case !isText:
			return bad("Invalid type for 'messages[%d].tool_calls[%d].function.arguments': expected a string.", i, n).coded("invalid_type")
		case c.rules.Manner == VLLM && !valid(arguments):
			return bad("Expecting value: line 1 column 1 (char 0)") // its template reads them
		case c.rules.Manner == Mistral && !nineLetters.MatchString(id):
			f := bad("Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.", id).coded("3280")
			f.kind = "invalid_function_call"
			return f
		case len(id) > 40:
			return bad("Invalid 'messages[%d].tool_calls[%d].id': string too long. Expected a string with maximum length 40, but got a string with length %d instead.", i, n, len(id)).
				coded("string_above_max_length")
		case c.used[id]:
			return bad("Duplicate value for 'tool_call_id' of %s.", id)
		default:
			c.open, c.used[id] = append(c.open, id), true
		}
	}
	return c.thought(i, m, calls)
}

// thought checks that a turn comes back with what the model thought in it.
func (c *chatCheck) thought(i int, m map[string]any, calls []any) *fault {
	switch {
	case !c.rules.Reasoning || len(calls) == 0:
	case c.rules.Manner == DeepSeek && text(m["reasoning_content"]) == "":
		return bad("The `reasoning_content` in the thinking mode must be passed back to the API.").coded("invalid_request_error")
	case c.rules.Manner == Gemini && i > c.turn:
		first := object(calls[0])
		sign := text(object(object(first["extra_content"])["google"])["thought_signature"])
		f := object(first["function"])
		switch sign {
		case Sign(text(f["name"]) + text(f["arguments"])), "skip_thought_signature_validator": // for calls of others, says Google
		case "":
			return bad("Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly.")
		default:
			return bad("Thought signature is not valid.")
		}
	case c.rules.Manner == OpenAI && m["reasoning_details"] == nil: // as behind a router
		return bad("reasoning_details of the assistant message %d are missing", i)
	}
	return nil
}
