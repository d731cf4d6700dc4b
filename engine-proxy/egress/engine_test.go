package egress_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// looks is the n-th answer of a model that thinks, and calls two tools at once.
func looks(m fakeprovider.Manner, n int) fakeprovider.Turn {
	return fakeprovider.Turn{
		Manner: m, Reasoning: fmt.Sprintf("hm – 好 <%d>", n), Text: "I look & see.",
		Took: &fakeprovider.Took{Input: 10 + n, Cached: 100 * n, Output: 5 + n},
		Tools: []fakeprovider.ToolCall{
			{ID: fmt.Sprintf("a%d", n), Name: "look", Arguments: fmt.Sprintf(`{"at":"<left of %d>"}`, n)}, {ID: fmt.Sprintf("b%d", n), Name: "look", Arguments: `{}`},
		},
	}
}

// TestEnginesConversationPassesOnEachWireAndIsChargedToTheToken: the engine's own
// client, this egress, and a server that checks what comes.
func TestEnginesConversationPassesOnEachWireAndIsChargedToTheToken(t *testing.T) {
	t.Parallel()
	const steps = 8
	for name, c := range map[string]struct {
		rules fakeprovider.Rules
		can   egress.Abilities
	}{
		"a plain list": {fakeprovider.Rules{Manner: fakeprovider.DeepSeek, Reasoning: true}, egress.Abilities{}},
		"DeepSeek":     {fakeprovider.Rules{Manner: fakeprovider.DeepSeek, Reasoning: true}, egress.Abilities{Protocol: "chat", Vision: true}},
		"Gemini":       {fakeprovider.Rules{Manner: fakeprovider.Gemini, Reasoning: true}, egress.Abilities{Protocol: "chat", Vision: true}},
		"marks":        {fakeprovider.Rules{}, egress.Abilities{Protocol: "chat", Vision: true, Cache: "marks"}},
		"responses":    {fakeprovider.Rules{Reasoning: true}, egress.Abilities{Protocol: "responses", Vision: true, Reasoning: "effort"}},
		"budget":       {fakeprovider.Rules{Manner: fakeprovider.Anthropic, Reasoning: true}, egress.Abilities{Protocol: "messages", Vision: true, Reasoning: "budget", Cache: "marks"}},
		"adaptive":     {fakeprovider.Rules{Manner: fakeprovider.Anthropic, Reasoning: true}, egress.Abilities{Protocol: "messages", Vision: true, Reasoning: "adaptive", Cache: "marks"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRigAt(t, false, func(o *egress.Options) {
				o.Config.MaxTokens, o.Config.MaxBody = 16000, 1<<20
				o.Config.Endpoints[0].Models = []egress.Model{{Name: "thinker", Abilities: c.can}}
			})
			file := filepath.Join(r.dir, "token")
			if err := os.WriteFile(file, []byte(token), 0o600); err != nil {
				t.Fatal(err)
			}
			client := model.New(model.Options{Socket: r.socket, TokenFile: file})
			if _, err := client.Offers(t.Context()); err != nil {
				t.Fatal(err)
			}
			q := model.Request{
				Model: "thinker", System: "You look. " + strings.Repeat("Rules. ", 400), Effort: "medium", MaxOutput: 16000, Cache: true,
				Tools:    []model.Tool{{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","properties":{"at":{"type":"number"}}}`)}},
				Messages: []model.Message{model.TextMessage(model.RoleUser, secret)},
			}
			total := map[string]int64{}
			for n := range steps {
				r.provider.Answer(fakeprovider.Strict(c.rules, looks(c.rules.Manner, n).Answer()))
				reply, err := client.Chat(t.Context(), q)
				if err != nil || len(reply.Calls()) != 2 {
					t.Fatalf("step %d: %v, %+v, after %v", n, err, reply, r.provider.Requests())
				}
				q.Messages = append(q.Messages, reply.Message())
				for _, call := range reply.Calls() {
					q.Messages = append(q.Messages, model.Message{Role: model.RoleTool, Parts: []model.Part{{Result: &model.Result{
						ID: call.ID, Text: "seen " + call.Arguments, Images: []model.Image{{Type: "image/png", Data: []byte("png")}},
					}}}})
				}
				total[".input"] += int64(10 + n)
				total[".cached"] += int64(100 * n)
				total[".output"] += int64(5 + n)
			}
			charged := map[string]int64{}
			for _, call := range r.ledger.charged() {
				for _, u := range call.Units {
					charged[strings.TrimPrefix(u.Name, "model.thinker")] += u.Quantity
				}
			}
			if fmt.Sprint(charged) != fmt.Sprint(total) || len(r.provider.Requests()) != steps {
				t.Errorf("charged %v, want %v, after %d requests", charged, total, len(r.provider.Requests()))
			}
		})
	}
}
