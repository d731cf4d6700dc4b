package fakeprovider

import (
	"net/http"
	"slices"
)

// chatMembers are those that a chat server knows of a request.
func (rules Rules) chatMembers() []string {
	known := []string{"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "response_format", "reasoning_effort", "max_tokens",
		"stream", "stream_options", "temperature", "top_p", "stop", "presence_penalty", "frequency_penalty"}
	if rules.Manner != Mistral {
		known = append(known, "max_completion_tokens", "seed", "prompt_cache_key")
	}
	return known
}

// messageMembers are those that it knows of a message: what it hands out itself among
// them.
func (rules Rules) messageMembers() []string {
	known := []string{"role", "content", "name", "tool_calls", "tool_call_id"}
	return append(known, map[Manner][]string{
		"":       {"reasoning_content", "reasoning", "reasoning_details"},
		OpenAI:   {"reasoning", "reasoning_details"}, // as behind a router
		DeepSeek: {"reasoning_content"}, VLLM: {"reasoning_content", "reasoning"}, LlamaCpp: {"reasoning_content"}, Ollama: {"reasoning"},
		Gemini: {"extra_content"},
	}[rules.Manner]...)
}

// unknown is how a server refuses a member.
func (rules Rules) unknown(name string) *fault {
	if rules.Manner != Mistral {
		return bad("Unrecognized request argument supplied: %s", name).coded("unknown_parameter")
	}
	f := bad("extra_forbidden: Extra inputs are not permitted: %s", name)
	f.status = http.StatusUnprocessableEntity
	return f
}

// checkFunction checks what a model is told of a tool.
func (rules Rules) checkFunction(i int, f map[string]any) *fault {
	parameters, given := f["parameters"]
	switch {
	case text(f["name"]) == "":
		return bad("Missing required parameter: 'tools[%d].function.name'.", i).coded("missing_required_parameter")
	case rules.Manner == LlamaCpp && !given:
		return &fault{status: http.StatusInternalServerError, kind: "server_error", message: "[json.exception.out_of_range.403] key 'parameters' not found"}
	case rules.Manner == Gemini && hollow(object(parameters)):
		return bad("GenerateContentRequest.tools[0].function_declarations[%d].parameters.properties: should be non-empty for OBJECT type", i)
	}
	return nil
}

// hollow reports whether a schema has an object without members in it.
func hollow(schema map[string]any) bool {
	members := object(schema["properties"])
	for _, m := range members {
		if hollow(object(m)) {
			return true
		}
	}
	return text(schema["type"]) == "object" && len(members) == 0 || schema["items"] != nil && hollow(object(schema["items"]))
}

// chatOrder is who spoke last.
type chatOrder struct {
	last  string // the role
	spoke string // the role, calls and their results aside
}

// next refuses a message of one whose turn it is not.
func (o *chatOrder) next(rules Rules, m map[string]any) *fault {
	role, last := text(m["role"]), o.last
	o.last = role
	if rules.Manner == Mistral && (role == "user" && last == "tool" || role == "tool" && !slices.Contains([]string{"assistant", "tool"}, last)) {
		f := bad("Unexpected role '%s' after role '%s'", role, last).coded("3230")
		f.kind = "invalid_request_message_order"
		return f
	}
	if role == "system" || role == "tool" || len(list(m["tool_calls"])) > 0 {
		return nil
	}
	spoke := o.spoke
	o.spoke = role
	if !rules.Turns || role != spoke && (spoke != "" || role == "user") {
		return nil
	}
	f := &fault{status: http.StatusInternalServerError, kind: "server_error"}
	if rules.Manner == VLLM {
		f = bad("")
	}
	f.message = "Jinja Exception: After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results."
	return f
}
