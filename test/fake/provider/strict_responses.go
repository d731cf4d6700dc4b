package fakeprovider

import "net/http"

// checkResponses checks a request of the Responses wire.
func (rules Rules) checkResponses(body map[string]any) *fault {
	if name := checkMembers(body, "", "model", "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "reasoning", "text", "include",
		"max_output_tokens", "temperature", "top_p", "stream", "store", "prompt_cache_key"); name != "" {
		return bad("Unsupported parameter: '%s' is not supported with this model.", name).coded("unsupported_parameter")
	}
	if most, given := body["max_output_tokens"]; given && number(most) < 16 {
		return bad("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.").coded("integer_below_min_value")
	}
	for i, t := range list(body["tools"]) {
		switch {
		case rules.NoTools:
			return rules.noTools()
		case text(object(t)["name"]) == "":
			return bad("Missing required parameter: 'tools[%d].name'.", i).coded("missing_required_parameter")
		}
	}
	if _, isText := body["input"].(string); isText {
		return nil
	}
	c := responsesCheck{rules: rules, stored: body["store"] != false, open: map[string]bool{}}
	items := list(body["input"])
	if len(items) == 0 {
		return bad("One of \"input\" or \"previous_response_id\" or 'prompt' or 'conversation_id' must be provided.").coded("missing_required_parameter")
	}
	for i, item := range items {
		if f := c.item(i, object(item)); f != nil {
			return f
		}
	}
	for _, id := range c.order {
		if c.open[id] {
			return bad("No tool output found for function call %s.", id)
		}
	}
	return nil
}

// responsesCheck goes through the items of a conversation.
type responsesCheck struct {
	rules   Rules
	stored  bool
	thought bool // a reasoning item stands before the calls of this turn
	order   []string
	open    map[string]bool // calls, and whether they have no output
}

func (c *responsesCheck) item(i int, item map[string]any) *fault {
	if id := text(item["id"]); id != "" && !c.stored {
		f := bad("Item with id '%s' not found. Items are not persisted when `store` is set to false. "+
			"Try again with `store` set to true, or remove this item from your input.", id)
		f.status = http.StatusNotFound
		return f
	}
	switch kind := text(item["type"]); kind {
	case "", "message":
		return c.message(i, item)
	case "reasoning":
		content := text(item["encrypted_content"])
		switch {
		case item["summary"] == nil:
			return bad("Missing required parameter: 'input[%d].summary'.", i).coded("missing_required_parameter")
		case content != "" && c.rules.Manner == VLLM:
			return bad("Encrypted content is not supported.")
		case content != "" && !unsealed(content):
			return bad("The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed.").coded("invalid_encrypted_content")
		}
		c.thought = true
	case "function_call":
		return c.call(i, item)
	case "function_call_output":
		id := text(item["call_id"])
		if !c.open[id] {
			return bad("No tool call found for function call output with call_id %s.", id)
		}
		c.open[id], c.thought = false, false
		return c.parts(i, item["output"], "input_text", true)
	default:
		return bad("Invalid value: '%s'. Supported values are: 'message', 'reasoning', 'function_call' and 'function_call_output'.", kind).coded("invalid_value")
	}
	return nil
}

func (c *responsesCheck) call(i int, item map[string]any) *fault {
	id := text(item["call_id"])
	_, isText := item["arguments"].(string)
	switch {
	case id == "" || text(item["name"]) == "" || !isText:
		return bad("Missing required parameter: 'input[%d].call_id'.", i).coded("missing_required_parameter")
	case c.rules.Reasoning && !c.thought:
		return bad("Item of type 'function_call' was provided without its required 'reasoning' item.")
	}
	if _, known := c.open[id]; known {
		return bad("Duplicate function call %s.", id)
	}
	c.open[id], c.order = true, append(c.order, id)
	return nil
}

func (c *responsesCheck) message(i int, item map[string]any) *fault {
	switch role := text(item["role"]); role {
	case "user", "system", "developer":
		c.thought = false
		return c.parts(i, item["content"], "input_text", role == "user")
	case "assistant":
		if _, isText := item["content"].(string); c.rules.Manner == VLLM && !isText && (text(item["id"]) == "" || text(item["status"]) == "") {
			return bad("2 validation errors: ('body', 'input', %d, 'id'): Field required; ('body', 'input', %d, 'status'): Field required", i, i)
		}
		return c.parts(i, item["content"], "output_text", false)
	default:
		return bad("Invalid value: '%s'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", role).coded("invalid_value")
	}
}

// parts checks what is said: its parts have the kind of whoever says it.
func (c *responsesCheck) parts(i int, content any, kind string, pictures bool) *fault {
	if _, isText := content.(string); isText {
		return nil
	}
	for n, part := range list(content) {
		part := object(part)
		switch got := text(part["type"]); {
		case got == kind, got == "refusal" && kind == "output_text":
		case got == "input_image" && pictures:
			if f := c.rules.checkDataURL(text(part["image_url"])); f != nil {
				return f
			}
		default:
			return bad("Invalid value: '%s'. Supported values are: '%s'. (input[%d].content[%d])", got, kind, i, n).coded("invalid_value")
		}
	}
	return nil
}
