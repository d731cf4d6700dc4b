package model

import (
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

func TestCallThatTheAnswerEndedInIsMarked(t *testing.T) {
	first := fakeprovider.ToolCall{ID: "a", Name: "look", Arguments: `{"at":"left"}`}
	whole := fakeprovider.ToolCall{ID: "b", Name: "write", Arguments: `{"path":"a.js","content":"let"}`}
	broken := fakeprovider.ToolCall{ID: "b", Name: "write", Arguments: `{"path":"a.js","content":"let`}
	const most = 100
	for name, tc := range map[string]struct {
		chat fakeprovider.Chat
		cut  bool
	}{
		"whole":                    {fakeprovider.Chat{Tools: []fakeprovider.ToolCall{first, whole}, Usage: used(97)}, false},
		"said so":                  {fakeprovider.Chat{Tools: []fakeprovider.ToolCall{first, broken}, Finish: "length"}, true},
		"said so, JSON completed":  {fakeprovider.Chat{Tools: []fakeprovider.ToolCall{first, whole}, Finish: "length"}, true},
		"at the cap":               {fakeprovider.Chat{Tools: []fakeprovider.ToolCall{first, whole}, Usage: used(most)}, true},
		"two short of it":          {fakeprovider.Chat{Tools: []fakeprovider.ToolCall{first, whole}, Usage: used(most - 2)}, true},
		"no JSON at the end":       {fakeprovider.Chat{Tools: []fakeprovider.ToolCall{first, broken}, Usage: used(50)}, true},
		"no JSON before the end":   {fakeprovider.Chat{Tools: []fakeprovider.ToolCall{broken, whole}, Usage: used(50)}, false},
		"nothing of the arguments": {fakeprovider.Chat{Tools: []fakeprovider.ToolCall{first, {ID: "b", Name: "list"}}, Usage: used(50)}, false},
	} {
		d := open(t, tc.chat.Answer())
		reply, err := d.Chat(t.Context(), Request{Model: "m", MaxOutput: most})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if calls := reply.Calls(); reply.Cut != tc.cut || calls[0].Cut || calls[1].Cut != tc.cut {
			t.Errorf("%s: %+v", name, reply)
		}
	}
}

func used(output int) *fakeprovider.Usage {
	return &fakeprovider.Usage{PromptTokens: 10, CompletionTokens: output, TotalTokens: 10 + output}
}

func TestAnswerThatIsCutSaysSoOnEachWire(t *testing.T) {
	for _, protocol := range []string{ProtocolChat, ProtocolResponses, ProtocolMessages} {
		d := open(t, fakeprovider.Turn{Text: "half a", Cut: true}.Answer()).known(Offer{Protocol: protocol})
		if reply, err := d.Chat(t.Context(), begin()); err != nil || !reply.Cut || reply.Text() != "half a" {
			t.Errorf("%s: %+v, %v", protocol, reply, err)
		}
	}
}

func TestAnswerArrivesInPiecesAndMayBeLeft(t *testing.T) {
	for _, protocol := range []string{ProtocolChat, ProtocolResponses, ProtocolMessages} {
		d := open(t, looks(fakeprovider.DeepSeek)(1).Answer()).known(Offer{Protocol: protocol})
		var said string
		var begun []string
		var reply *Reply
		for e, err := range d.Stream(t.Context(), begin()) {
			if err != nil {
				t.Fatal(err)
			}
			if reply != nil {
				t.Errorf("%s: something comes behind the whole", protocol)
			}
			said += e.Text
			if e.Begun != "" {
				begun = append(begun, e.Begun)
			}
			reply = e.Reply
		}
		if reply == nil || said != reply.Text() || len(begun) != 2 {
			t.Errorf("%s: said %q, began %q, %+v", protocol, said, begun, reply)
		}
		for _, err := range d.Stream(t.Context(), begin()) {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
	}
}
