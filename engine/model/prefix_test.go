package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// bodies are what a conversation of so many steps sends to a server.
func bodies(t *testing.T, o Offer, steps int) [][]byte {
	t.Helper()
	r := begin()
	r.Model = "m"
	o.Vision = true
	var all [][]byte
	for n := range steps {
		raw, err := encode(codecs[o.Protocol].encode(r, o, form{}))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw)
		reply := NewReply("I look.", Call{ID: fmt.Sprintf("a%d", n), Name: "look", Arguments: `{"at":"<left>"}`}, Call{ID: fmt.Sprintf("b%d", n), Name: "look", Arguments: `{}`})
		raws := map[string]Opaque{
			ProtocolChat: {Kind: kindReasoning, Raw: json.RawMessage(`"hm <1>"`)}, ProtocolResponses: {Kind: kindItem, Raw: json.RawMessage(`{"type":"reasoning","summary":[],"encrypted_content":"x"}`)},
			ProtocolMessages: {Kind: kindThinking, Raw: json.RawMessage(`{"type":"thinking","thinking":"hm <1>","signature":"s"}`)},
		}
		opaque := raws[o.Protocol]
		opaque.Model = "m"
		reply.Parts = append([]Part{{Opaque: &opaque}}, reply.Parts...)
		goOn(&r, reply, pixel)
	}
	return all
}

// end is what stands behind the conversation in a request.
var (
	end         = regexp.MustCompile(`\](,"(reasoning_effort|include|max_tokens|max_output_tokens)":.*)$`)
	markPattern = regexp.MustCompile(`,"cache_control":\{"type":"ephemeral"\}`)
)

func TestWhatWasSentIsTheBeginningOfWhatIsSentNext(t *testing.T) {
	for _, o := range []Offer{
		{Protocol: ProtocolChat}, {Protocol: ProtocolResponses, Reasoning: ReasoningEffort},
		{Protocol: ProtocolMessages, Reasoning: ReasoningBudget, Cache: CacheMarks}, {Protocol: ProtocolMessages, Reasoning: ReasoningAdaptive},
	} {
		var before []byte
		for n, raw := range bodies(t, o, 30) {
			whole := markPattern.ReplaceAll(raw, nil)
			if !bytes.HasPrefix(whole, before) {
				t.Fatalf("%s: step %d does not begin with step %d:\n%.300s\n%.300s", o.Protocol, n, n-1, whole, before)
			}
			before = end.ReplaceAll(whole, nil)
			if len(before) == len(whole) || len(before) < 1000 {
				t.Fatalf("%s: the conversation is not found in %.300s", o.Protocol, whole)
			}
		}
	}
}

func TestMarksAreFourAtMostAndTheLastIsOnTheNewestResult(t *testing.T) {
	for n, raw := range bodies(t, Offer{Protocol: ProtocolMessages, Cache: CacheMarks}, 30) {
		var q struct {
			System   []map[string]any `json:"system"`
			Messages []struct {
				Role    string           `json:"role"`
				Content []map[string]any `json:"content"`
			} `json:"messages"`
		}
		if err := json.Unmarshal(raw, &q); err != nil {
			t.Fatal(err)
		}
		last := q.Messages[len(q.Messages)-1].Content
		marks := strings.Count(string(raw), `"cache_control"`)
		if marks > maxMarks || marks < min(n+2, maxMarks) || last[len(last)-1]["cache_control"] == nil || q.System[0]["cache_control"] == nil {
			t.Errorf("step %d: %d marks, the last block is %v", n, marks, last[len(last)-1]["type"])
		}
	}
	once := begin()
	once.Cache = false
	if raw, err := encode(encodeMessages(once, Offer{Protocol: ProtocolMessages, Cache: CacheMarks}, form{})); err != nil || strings.Contains(string(raw), "cache_control") {
		t.Errorf("what is sent once is to be kept: %v", err)
	}
}

func TestCachedConversationCostsAThirdAtMost(t *testing.T) {
	turn := func(n int) fakeprovider.Turn {
		return fakeprovider.Turn{Text: strings.Repeat("I look. ", 200), Tools: []fakeprovider.ToolCall{{ID: fmt.Sprintf("a%d", n), Name: "look", Arguments: `{}`}}}
	}
	for _, o := range []Offer{{Protocol: ProtocolChat}, {Protocol: ProtocolResponses}, {Protocol: ProtocolMessages, Cache: CacheMarks}} {
		d := open(t, fakeprovider.Strict(fakeprovider.Rules{}, fakeprovider.Billed(turn))).known(o)
		r := begin()
		var paid, whole float64
		for range 30 {
			reply, err := d.Chat(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			u := reply.Usage
			paid += float64(u.Input) + 0.1*float64(u.Cached) + 1.25*float64(u.CacheWrite)
			whole += float64(u.Input + u.Cached + u.CacheWrite)
			goOn(&r, reply)
		}
		if share := paid / whole; share > 0.35 {
			t.Errorf("%s: it costs %.0f %%", o.Protocol, 100*share)
		}
	}
}
