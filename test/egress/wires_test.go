package egress

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/egress"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// wires are servers that check the conversation, each with what its operator says
// of the model.
var wires = map[string]struct {
	rules fakeprovider.Rules
	can   egress.Abilities
}{
	"chat":     {fakeprovider.Rules{}, egress.Abilities{Protocol: egress.ProtocolChat, Vision: true}},
	"DeepSeek": {fakeprovider.Rules{Manner: fakeprovider.DeepSeek, Reasoning: true}, egress.Abilities{Protocol: egress.ProtocolChat, Vision: true}},
	"Gemini":   {fakeprovider.Rules{Manner: fakeprovider.Gemini, Reasoning: true}, egress.Abilities{Protocol: egress.ProtocolChat, Vision: true}},
	"router":   {fakeprovider.Rules{}, egress.Abilities{Protocol: egress.ProtocolChat, Cache: "marks"}},
	"responses": {fakeprovider.Rules{Reasoning: true},
		egress.Abilities{Protocol: egress.ProtocolResponses, Vision: true, Reasoning: "effort"}},
	"budget": {fakeprovider.Rules{Manner: fakeprovider.Anthropic, Reasoning: true},
		egress.Abilities{Protocol: egress.ProtocolMessages, Vision: true, Reasoning: "budget", Cache: "marks"}},
	"adaptive": {fakeprovider.Rules{Manner: fakeprovider.Anthropic, Reasoning: true},
		egress.Abilities{Protocol: egress.ProtocolMessages, Vision: true, Reasoning: "adaptive", Cache: "marks"}},
}

func TestClientAndEgressSpeakEachWireToServersThatCheck(t *testing.T) {
	t.Parallel()
	const steps = 8
	for name, w := range wires {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var answers []fakeprovider.Answer
			for n := range steps {
				answers = append(answers, fakeprovider.Turn{
					Manner: w.rules.Manner, Reasoning: fmt.Sprintf("hm <%d> 好", n), Text: "I look.", Took: &fakeprovider.Took{Input: 20, Cached: 3, Output: 5},
					Tools: []fakeprovider.ToolCall{
						{ID: fmt.Sprintf("a%d", n), Name: "look", Arguments: `{"at":"<left>"}`}, {ID: fmt.Sprintf("b%d", n), Name: "look", Arguments: `{}`},
					},
				}.Answer())
			}
			r := newRigOf(t, func(at *egress.Endpoint) {
				at.Chat, at.Models = nil, []egress.Model{{Name: "writer", Abilities: w.can}}
			}, fakeprovider.Strict(w.rules, fakeprovider.InTurn(answers...)))
			job := r.accept()
			r.report(contract.FeedStarted, job, api.JobRunning, "model")
			tokenFile := filepath.Join(t.TempDir(), "token")
			if err := os.WriteFile(tokenFile, []byte(token), 0o600); err != nil {
				t.Fatal(err)
			}
			c := model.New(model.Options{Socket: r.socket, TokenFile: tokenFile, Attempts: 1})
			if names, err := c.Chats(t.Context()); err != nil || len(names) != 1 {
				t.Fatalf("%q, %v", names, err)
			}
			q := model.Request{
				Model: "writer", System: "You look.", Effort: "medium", MaxOutput: 4000, Cache: true,
				Tools:    []model.Tool{{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","properties":{"at":{"type":"string"}}}`)}},
				Messages: []model.Message{model.TextMessage(model.RoleUser, "Look around.")},
			}
			for n := range steps {
				reply, err := c.Chat(t.Context(), q)
				if err != nil {
					t.Fatalf("step %d: %v", n, err)
				}
				if calls := reply.Calls(); len(calls) != 2 || reply.Text() != "I look." || reply.Usage != (model.Usage{Input: 20, Cached: 3, Output: 5}) {
					t.Fatalf("step %d: %+v", n, reply)
				}
				q.Messages = append(q.Messages, reply.Message())
				for _, call := range reply.Calls() {
					result := &model.Result{ID: call.ID, Text: strings.Repeat("seen ", 20), Images: []model.Image{{Type: "image/png", Data: fakeprovider.Picture(t)}}}
					q.Messages = append(q.Messages, model.Message{Role: model.RoleTool, Parts: []model.Part{{Result: result}}})
				}
			}
			if n := len(r.provider.Requests()); n != steps {
				t.Errorf("%d steps took %d requests", steps, n)
			}
			// A step is 23 tokens read, cached ones at the price of the others, and 5
			// written.
			r.wantBalance(100*api.MicroPerTIK - steps*(23*1_000+5*2_000_000))
		})
	}
}
