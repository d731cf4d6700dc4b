package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// atServer runs a task with a server that checks the conversation, and answers in turns.
func atServer(t *testing.T, job Task, rules fakeprovider.Rules, offer string, turns ...fakeprovider.Turn) (Outcome, []fakeprovider.Request) {
	t.Helper()
	var bills fakeprovider.Billing
	var answers []fakeprovider.Answer
	for _, one := range turns {
		one.Manner = rules.Manner
		answers = append(answers, func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
			bills.Bill(q, one).Answer()(p, w, r, q)
		})
	}
	p := fakeprovider.New(t, fakeprovider.Strict(rules, fakeprovider.InTurn(answers...)))
	socket, token := fakeprovider.Reach(t, p, `{"data":[{"id":"wise","use":"chat",`+offer+`}]}`)
	client := model.New(model.Options{Socket: socket, TokenFile: token, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }})
	if _, err := client.Offers(t.Context()); err != nil {
		t.Fatal(err)
	}
	job.Ask.Settings.ReasoningLevel = api.ReasoningMedium
	out, err := Run(t.Context(), client, &judge{}, &log{}, job)
	if err != nil {
		t.Fatal(err)
	}
	return out, p.Requests()
}

// writing is the n-th answer of an author that writes a file and reads it.
func writing(n, size int) fakeprovider.Turn {
	path := fmt.Sprintf("src/f%d.js", n)
	write, _ := json.Marshal(map[string]string{"path": path, "content": strings.Repeat(fmt.Sprint(n%10), size)})
	read, _ := json.Marshal(map[string]any{"paths": []string{path}})
	return fakeprovider.Turn{Reasoning: fmt.Sprintf("hm <%d> 好", n), Text: "I write.", Tools: []fakeprovider.ToolCall{
		{ID: fmt.Sprintf("wr%07d", n), Name: "write_file", Arguments: string(write)}, {ID: fmt.Sprintf("rd%07d", n), Name: "read_file", Arguments: string(read)},
	}}
}

// sent is a request's conversation as JSON.
func sent(t *testing.T, q fakeprovider.Request) string {
	t.Helper()
	raw, err := json.Marshal(q.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestConversationThatWasMadeShorterIsTakenByServersThatCheckIt: what is left out of it
// breaks no signature, and not one request is refused.
func TestConversationThatWasMadeShorterIsTakenByServersThatCheckIt(t *testing.T) {
	for name, c := range map[string]struct {
		rules fakeprovider.Rules
		offer string
	}{
		"Gemini":    {fakeprovider.Rules{Manner: fakeprovider.Gemini, Reasoning: true}, `"protocol":"chat"`},
		"DeepSeek":  {fakeprovider.Rules{Manner: fakeprovider.DeepSeek, Reasoning: true}, `"protocol":"chat"`},
		"budget":    {fakeprovider.Rules{Manner: fakeprovider.Anthropic, Reasoning: true}, `"protocol":"messages","reasoning":"budget","cache":"marks"`},
		"responses": {fakeprovider.Rules{Reasoning: true}, `"protocol":"responses","reasoning":"effort"`},
	} {
		job := task()
		job.Limits.Steps, job.Window = 60, 64_000
		var turns []fakeprovider.Turn
		for n := range 16 {
			turns = append(turns, writing(n, 15<<10))
		}
		turns = append(turns, fakeprovider.Turn{Reasoning: "done", Tools: []fakeprovider.ToolCall{{ID: "dn0000000", Name: "done", Arguments: finish}}})
		out, requests := atServer(t, job, c.rules, c.offer, turns...)
		if out.Stop != "" || out.Files == nil || len(requests) != out.Steps {
			t.Errorf("%s: %q (%v) after %d steps and %d requests", name, out.Stop, out.Refusal, out.Steps, len(requests))
		}
		if !strings.Contains(sent(t, requests[len(requests)-1]), leftOut) {
			t.Errorf("%s: nothing was left out", name)
		}
	}
}

// TestAuthorIsToldToFinishWhereRolesHaveTheirOrder: words of ours stand with what the
// model reads anyway, so that a server that wants turns has nothing to refuse.
func TestAuthorIsToldToFinishWhereRolesHaveTheirOrder(t *testing.T) {
	for name, rules := range map[string]fakeprovider.Rules{
		"Mistral": {Manner: fakeprovider.Mistral}, "Devstral in llama.cpp": {Manner: fakeprovider.LlamaCpp, Turns: true}, "Devstral in vLLM": {Manner: fakeprovider.VLLM, Turns: true},
	} {
		job := task()
		job.Limits.Steps = 14
		var turns []fakeprovider.Turn
		for n := range 14 {
			turns = append(turns, writing(n, 9))
		}
		turns[3] = fakeprovider.Turn{Text: "Let me see."}                       // is told to call a tool
		turns[5] = fakeprovider.Turn{Text: "", Reasoning: "What if", Cut: true} // is told to say less
		for n := 8; n < 11; n++ {
			turns[n].Tools = []fakeprovider.ToolCall{{ID: fmt.Sprintf("rp%07d", n), Name: "read_file", Arguments: `{"paths":["src/f0.js"]}`}} // is told that it repeats itself
		}
		out, requests := atServer(t, job, rules, `"protocol":"chat"`, turns...)
		if out.Stop != StopSteps || len(requests) != 14 {
			t.Errorf("%s: %q (%v) after %d steps and %d requests", name, out.Stop, out.Refusal, out.Steps, len(requests))
		}
		last := sent(t, requests[len(requests)-1])
		for _, words := range []string{"Finish now", "Call a tool.", "was cut off before", "repeating yourself"} {
			if strings.Count(last, words) != 1 {
				t.Errorf("%s: %q was said %d times", name, words, strings.Count(last, words))
			}
		}
	}
}

// TestIdsOfCallsFitEveryServer: vLLM's are longer than others take, so that a model that
// stands in would refuse the conversation.
func TestIdsOfCallsFitEveryServer(t *testing.T) {
	long := "chatcmpl-tool-0f3b5a1c2d4e4f60a1b2c3d4e5f60718"
	begins := func(context.Context, model.Request) (model.Reply, error) {
		return model.NewReply("", model.Call{ID: long, Name: "list_files"}, model.Call{ID: long + "9", Name: "list_files"}, model.Call{ID: "functions.list_files:2", Name: "list_files"}), nil
	}
	r := work(t, task(), &judge{}, begins, calls("done", finish))
	var ids, results []string
	for _, m := range r.model.asked[1].Messages {
		for _, c := range m.Calls() {
			ids = append(ids, c.ID)
		}
		for _, p := range m.Parts {
			if p.Result != nil {
				results = append(results, p.Result.ID)
			}
		}
	}
	if len(ids) != 3 || !slices.Equal(ids, results) || len(ids[0]) > 40 || ids[0] == ids[1] || ids[2] != "functions.list_files:2" {
		t.Errorf("calls %q, results of %q", ids, results)
	}
}

// TestEachToolNamesWhatItTakes: Gemini refuses an object without members, and llama.cpp a
// tool without any.
func TestEachToolNamesWhatItTakes(t *testing.T) {
	type schema struct {
		Type       string
		Properties map[string]json.RawMessage
		Items      json.RawMessage
	}
	var check func(where string, raw json.RawMessage)
	check = func(where string, raw json.RawMessage) {
		var s schema
		if err := json.Unmarshal(raw, &s); err != nil || s.Type == "" || s.Type == "object" && len(s.Properties) == 0 || s.Type == "array" && s.Items == nil {
			t.Errorf("%s: %s, %v", where, raw, err)
		}
		for name, member := range s.Properties {
			check(where+"."+name, member)
		}
		if s.Items != nil {
			check(where+"[]", s.Items)
		}
	}
	for _, tool := range definitions(tools) {
		check(tool.Name, tool.Parameters)
	}
}
