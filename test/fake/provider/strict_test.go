package fakeprovider

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

const (
	pixel = "iVBORw0KGgo="
	takes = `,"parameters":{"type":"object","properties":{"at":{"type":"string"}}}`
	tool  = `{"type":"function","function":{"name":"look"` + takes + `}}`
)

// replaced fills the signatures of a request in.
var replaced = strings.NewReplacer("SIGNED", Sign("hm"), "CALL", Sign("look{}"), "SEALED", sealed("hm"))

func asked(t *testing.T, rules Rules, path, body string) (int, string) {
	t.Helper()
	p := New(t, Strict(rules, Turn{Text: "well"}.Answer()))
	res, err := http.Post(p.URL+path, "application/json", strings.NewReader(replaced.Replace(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// conversation is a case of a strict server: without words it takes the request.
type conversation struct {
	rules       Rules
	body, words string
}

func checkConversations(t *testing.T, path string, cases map[string]conversation) {
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			status, body := asked(t, c.rules, path, c.body)
			if c.words == "" && status != 200 || c.words != "" && (status == 200 || !strings.Contains(body, c.words)) {
				t.Errorf("got %d %s", status, body)
			}
		})
	}
}

func TestChatIsCheckedAsRealServersDo(t *testing.T) {
	const user = `{"role":"user","content":"go"},`
	call := func(more string) string {
		return `{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":"{}"}` + more + `}]`
	}
	const result = `,{"role":"tool","tool_call_id":"a","content":"seen"}`
	nine := func(text string) string { return strings.Replace(text, `"a"`, `"abcdEFG12"`, 1) }
	chat := func(messages string) string {
		return `{"model":"m","messages":[` + messages + `],"tools":[` + tool + `]}`
	}
	checkConversations(t, "/chat/completions", map[string]conversation{
		"right":                     {Rules{}, chat(user + call("") + `}` + result), ""},
		"no result":                 {Rules{}, chat(user + call("") + `}` + `,{"role":"user","content":"?"}`), "did not have response messages: a"},
		"a result of nothing":       {Rules{}, chat(user + strings.TrimPrefix(result, ",")), "preceeding message"},
		"no id":                     {Rules{}, chat(user + strings.Replace(call(""), `"a"`, `""`, 1) + "}"), "tool_calls[0].id"},
		"arguments as an object":    {Rules{}, chat(user + strings.Replace(call(""), `"{}"`, `{}`, 1) + "}"), "expected a string"},
		"a picture in a result":     {Rules{}, chat(user + call("") + `},{"role":"tool","tool_call_id":"a","content":[{"type":"image_url"}]}`), "Supported values are: 'text'"},
		"a picture":                 {Rules{}, chat(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}]}`), ""},
		"a picture for the blind":   {Rules{NoVision: true, Manner: LlamaCpp}, chat(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}]}`), "mmproj"},
		"reasoning comes back":      {Rules{Manner: DeepSeek, Reasoning: true}, chat(user + call("") + `,"reasoning_content":"hm"}` + result), ""},
		"no reasoning":              {Rules{Manner: DeepSeek, Reasoning: true}, chat(user + call("") + `}` + result), "must be passed back"},
		"a signature comes back":    {Rules{Manner: Gemini, Reasoning: true}, chat(user + call(`,"extra_content":{"google":{"thought_signature":"CALL"}}`) + `}` + result), ""},
		"no signature":              {Rules{Manner: Gemini, Reasoning: true}, chat(user + call("") + `}` + result), "missing a thought_signature"},
		"the wrong cap":             {Rules{Cap: "max_completion_tokens"}, `{"messages":[],"max_tokens":5}`, "Use 'max_completion_tokens'"},
		"too long":                  {Rules{Context: 10}, chat(user + strings.Repeat(user, 9) + `{"role":"user","content":""}`), "context_length_exceeded"},
		"too long for llama.cpp":    {Rules{Context: 10, Manner: LlamaCpp}, chat(`{"role":"user","content":"` + strings.Repeat("x", 99) + `"}`), `"n_ctx":10`},
		"too long for vLLM":         {Rules{Context: 10, Manner: VLLM}, chat(`{"role":"user","content":"` + strings.Repeat("x", 99) + `"}`), `"code":400`},
		"too long, and Ollama cuts": {Rules{Context: 10, Manner: Ollama}, chat(`{"role":"user","content":"` + strings.Repeat("x", 99) + `"}`), ""},
		"a member of nobody's":      {Rules{}, `{"model":"m","messages":[` + strings.TrimSuffix(user, ",") + `],"top_k":5}`, "Unrecognized request argument supplied: top_k"},
		"a message's of nobody's":   {Rules{}, chat(`{"role":"user","content":"go","extra_content":{}}`), "messages.0.extra_content"},
		"DeepSeek's for Gemini":     {Rules{Manner: Gemini}, chat(user + `{"role":"assistant","content":"x","reasoning_content":"hm"}`), "messages.1.reasoning_content"},
		"an id that is too long":    {Rules{}, chat(user + strings.Replace(call(""), `"a"`, `"`+strings.Repeat("a", 41)+`"`, 1) + "}"), "maximum length 40"},
		"an id used twice":          {Rules{}, chat(user + call("") + `}` + result + `,` + call("") + `}` + result), "Duplicate value"},
		"turns in vLLM":             {Rules{Manner: VLLM, Turns: true}, chat(user + call("") + `}` + result + `,` + strings.TrimSuffix(user, ",")), "roles must alternate"},
		"turns in llama.cpp":        {Rules{Manner: LlamaCpp, Turns: true}, chat(user + strings.TrimSuffix(user, ",")), "roles must alternate"},
		"turns, and they are kept":  {Rules{Manner: LlamaCpp, Turns: true}, chat(user + call("") + `}` + result + `,{"role":"assistant","content":"x"},` + strings.TrimSuffix(user, ",")), ""},
		"no parameters, llama.cpp":  {Rules{Manner: LlamaCpp}, strings.Replace(chat(strings.TrimSuffix(user, ",")), takes, "", 1), "'parameters' not found"},
		"an empty schema, Gemini":   {Rules{Manner: Gemini}, strings.Replace(chat(strings.TrimSuffix(user, ",")), `"at":{"type":"string"}`, "", 1), "should be non-empty"},
		"one within, Gemini": {Rules{Manner: Gemini}, strings.Replace(chat(strings.TrimSuffix(user, ",")), `{"type":"string"}`,
			`{"type":"array","items":{"type":"object"}}`, 1), "should be non-empty"},
		"an empty answer, vLLM":    {Rules{Manner: VLLM}, chat(user + `{"role":"assistant","content":""}`), "must have either content or tool_calls"},
		"a user after a result":    {Rules{Manner: Mistral}, chat(user + nine(call("")) + `}` + nine(result) + `,` + strings.TrimSuffix(user, ",")), `"code":"3230"`},
		"an answer in between":     {Rules{Manner: Mistral}, chat(user + nine(call("")) + `}` + nine(result) + `,{"role":"assistant","content":"x"},` + strings.TrimSuffix(user, ",")), ""},
		"an id for Mistral":        {Rules{Manner: Mistral}, chat(user + call("") + `}` + result), "with a length of 9"},
		"a thought for Mistral":    {Rules{Manner: Mistral}, chat(user + `{"role":"assistant","content":"x","reasoning_content":"hm"}`), "extra_forbidden"},
		"the other cap of Mistral": {Rules{Manner: Mistral}, `{"model":"m","messages":[` + strings.TrimSuffix(user, ",") + `],"max_completion_tokens":5}`, "extra_forbidden"},

		"no tools in llama.cpp": {Rules{NoTools: true, Manner: LlamaCpp}, chat(`{"role":"user","content":"x"}`), "--jinja"},
		"no tools in vLLM":      {Rules{NoTools: true, Manner: VLLM}, chat(`{"role":"user","content":"x"}`), "--enable-auto-tool-choice"},
		"no tools in Ollama":    {Rules{NoTools: true, Manner: Ollama}, chat(`{"role":"user","content":"x"}`), "does not support tools"},
	})
}

func TestMessagesAreCheckedAsRealServersDo(t *testing.T) {
	const user = `{"role":"user","content":"go"},`
	uses := func(ids ...string) string {
		var blocks []string
		for _, id := range ids {
			blocks = append(blocks, `{"type":"tool_use","id":"`+id+`","name":"look","input":{}}`)
		}
		return strings.Join(blocks, ",")
	}
	result := func(id string) string { return `{"type":"tool_result","tool_use_id":"` + id + `","content":"seen"}` }
	says := func(role, blocks string) string { return `{"role":"` + role + `","content":[` + blocks + `]}` }
	ask := func(more string, messages ...string) string {
		return `{"model":"m","max_tokens":4096` + more + `,"messages":[` + user + strings.Join(messages, ",") + `]}`
	}
	const thinks = `,"thinking":{"type":"enabled","budget_tokens":2048}`
	const thought = `{"type":"thinking","thinking":"hm","signature":"SIGNED"},`
	const mark = `,"system":[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]`
	checkConversations(t, "/messages", map[string]conversation{
		"right":                 {Rules{}, ask("", says("assistant", uses("a", "b")), says("user", result("a")+","+result("b"))), ""},
		"results are split":     {Rules{}, ask("", says("assistant", uses("a", "b")), says("user", result("a")), says("user", result("b"))), "without `tool_result` blocks immediately after: b"},
		"text before results":   {Rules{}, ask("", says("assistant", uses("a")), says("user", `{"type":"text","text":"x"},`+result("a"))), "immediately after: a"},
		"a result of nothing":   {Rules{}, ask("", says("assistant", uses("a")), says("user", result("z"))), "unexpected `tool_use_id`"},
		"no cap":                {Rules{}, `{"model":"m","messages":[{"role":"user","content":"x"}]}`, "max_tokens: Field required"},
		"the cap's other name":  {Rules{}, `{"model":"m","max_completion_tokens":9,"messages":[{"role":"user","content":"x"}]}`, "Extra inputs are not permitted"},
		"a system message":      {Rules{}, `{"model":"m","max_tokens":9,"messages":[{"role":"system","content":"x"}]}`, "Unexpected role"},
		"thoughts come back":    {Rules{}, ask(thinks, says("assistant", thought+uses("a")), says("user", result("a"))), ""},
		"no thoughts":           {Rules{}, ask(thinks, says("assistant", uses("a")), says("user", result("a"))), "Expected `thinking`"},
		"a changed thought":     {Rules{}, ask(thinks, says("assistant", strings.Replace(thought, "hm", "hn", 1)+uses("a")), says("user", result("a"))), "Invalid `signature`"},
		"too little to think":   {Rules{}, ask(`,"thinking":{"type":"enabled","budget_tokens":9999}`, says("user", `{"type":"text","text":"x"}`)), "must be greater"},
		"a mark":                {Rules{}, ask(mark, says("user", `{"type":"text","text":"x"}`)), ""},
		"five marks":            {Rules{}, ask(mark, says("user", strings.TrimSuffix(strings.Repeat(`{"type":"text","text":"x","cache_control":{"type":"ephemeral"}},`, 4), ","))), "A maximum of 4"},
		"an empty text":         {Rules{}, ask("", says("user", `{"type":"text","text":""}`)), "non-empty"},
		"too long":              {Rules{Manner: Anthropic, Context: 10}, ask("", says("user", `{"type":"text","text":"`+strings.Repeat("x", 99)+`"}`)), "prompt is too long"},
		"a picture in a result": {Rules{}, ask("", says("assistant", uses("a")), says("user", `{"type":"tool_result","tool_use_id":"a","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+pixel+`"}}]}`)), ""},
	})
}

func TestResponsesAreCheckedAsRealServersDo(t *testing.T) {
	const thought = `{"type":"reasoning","summary":[],"encrypted_content":"SEALED"},`
	const call = `{"type":"function_call","call_id":"a","name":"look","arguments":"{}"}`
	const output = `,{"type":"function_call_output","call_id":"a","output":"seen"}`
	ask := func(items string) string {
		return `{"model":"m","store":false,"input":[{"role":"user","content":[{"type":"input_text","text":"go"}]},` + items + `]}`
	}
	checkConversations(t, "/responses", map[string]conversation{
		"right":               {Rules{Reasoning: true}, ask(thought + call + output), ""},
		"an id":               {Rules{}, ask(`{"id":"rs_1",` + thought[1:] + call + output), "Items are not persisted"},
		"no output":           {Rules{}, ask(call), "No tool output found for function call a"},
		"an output of none":   {Rules{}, ask(strings.TrimPrefix(output, ",")), "No tool call found"},
		"no reasoning":        {Rules{Reasoning: true}, ask(call + output), "required 'reasoning' item"},
		"a changed reasoning": {Rules{}, ask(strings.Replace(thought, "SEALED", "x.SEALED", 1) + call + output), "could not be verified"},
		"vLLM":                {Rules{Manner: VLLM}, ask(thought + call + output), "not supported"},
		"vLLM, an answer":     {Rules{Manner: VLLM}, ask(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x"}]}`), "Field required"},
		"vLLM, as a text":     {Rules{Manner: VLLM}, ask(`{"type":"message","role":"assistant","content":"x"}`), ""},
		"a user's output":     {Rules{}, ask(`{"role":"user","content":[{"type":"output_text","text":"x"}]}`), "Supported values are: 'input_text'"},
		"a chat's cap":        {Rules{}, `{"model":"m","input":"x","max_tokens":5}`, "unsupported_parameter"},
		"a nested tool":       {Rules{}, `{"model":"m","input":"x","tools":[` + tool + `]}`, "tools[0].name"},
	})
}
