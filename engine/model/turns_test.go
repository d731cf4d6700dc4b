package model

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// mute hides what a server says of a refusal, as an egress does that does not know its
// words.
func mute(rules fakeprovider.Rules, then fakeprovider.Answer) fakeprovider.Answer {
	strict := fakeprovider.Strict(rules, then)
	return func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		strict(p, &muted{w, false}, r, q)
	}
}

type muted struct {
	http.ResponseWriter
	refused bool
}

func (m *muted) WriteHeader(status int) {
	m.refused = true
	m.ResponseWriter.WriteHeader(http.StatusBadRequest)
}

func (m *muted) Write(raw []byte) (int, error) {
	if !m.refused {
		return m.ResponseWriter.Write(raw)
	}
	_, err := m.ResponseWriter.Write([]byte(`{"error":"no","reason":"provider_refused"}`))
	return len(raw), err
}

func (m *muted) Unwrap() http.ResponseWriter { return m.ResponseWriter }

// TestServersThatWantTurnsGetThem: pictures behind results and two messages of the user's
// in a row are put in turns where they are refused, once; and the model sees what it saw.
func TestServersThatWantTurnsGetThem(t *testing.T) {
	mistral, llama := fakeprovider.Rules{Manner: fakeprovider.Mistral}, fakeprovider.Rules{Manner: fakeprovider.LlamaCpp, Turns: true}
	for name, tc := range map[string]struct {
		answer  fakeprovider.Answer
		refused int // at most
	}{
		"Mistral":                    {fakeprovider.Strict(mistral, inTurn(looks(fakeprovider.Mistral))), 2}, // the effort too
		"Mistral, says nothing":      {mute(mistral, inTurn(looks(fakeprovider.Mistral))), 12},
		"Devstral in llama.cpp":      {fakeprovider.Strict(llama, inTurn(looks(fakeprovider.LlamaCpp))), 1},
		"Devstral in vLLM":           {fakeprovider.Strict(fakeprovider.Rules{Manner: fakeprovider.VLLM, Turns: true}, inTurn(looks(fakeprovider.VLLM))), 1},
		"Devstral, and says nothing": {mute(llama, inTurn(looks(fakeprovider.LlamaCpp))), 12},
	} {
		t.Run(name, func(t *testing.T) {
			d := open(t, tc.answer).known(Offer{Protocol: ProtocolChat, Vision: true})
			r := begin()
			for n := range 9 {
				before := len(d.provider.Requests())
				reply, err := d.Chat(t.Context(), r)
				if err != nil {
					t.Fatalf("step %d: %v", n, err)
				}
				if tries := len(d.provider.Requests()) - before; tries > 1+tc.refused || n > 3 && tries > 1 {
					t.Errorf("step %d took %d requests", n, tries)
				}
				goOn(&r, reply, pixel)
				if n%2 == 1 {
					r.Messages = append(r.Messages, TextMessage(RoleUser, fmt.Sprintf("Go on %d.", n)), TextMessage(RoleUser, "Look well."))
				}
			}
			if _, err := d.Chat(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			requests := d.provider.Requests()
			sent := string(marshalled(requests[len(requests)-1].Body))
			for _, want := range []string{"Go on 1.", "Go on 7.", "Look well.", "seen <"} {
				if !strings.Contains(sent, want) {
					t.Errorf("%q is not in %s", want, sent)
				}
			}
			if got := strings.Count(sent, "data:image/png"); got != 18 {
				t.Errorf("it sees %d pictures", got)
			}
		})
	}
}

// TestWordsOfTheEnginesStandWithTheResultBefore: they come with it on each wire, and no
// message of the user's follows a result on the chat wire.
func TestWordsOfTheEnginesStandWithTheResultBefore(t *testing.T) {
	for _, protocol := range []string{ProtocolChat, ProtocolResponses, ProtocolMessages} {
		rules := fakeprovider.Rules{}
		if protocol == ProtocolChat {
			rules.Turns = true
		}
		d := open(t, fakeprovider.Strict(rules, inTurn(looks("")))).known(Offer{Protocol: protocol, Vision: true})
		r := begin()
		for range 4 {
			reply, err := d.Chat(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			goOn(&r, reply)
			last := &r.Messages[len(r.Messages)-1]
			last.Parts = append(last.Parts, Part{Text: "Finish now."})
		}
		if n := len(d.provider.Requests()); n != 4 {
			t.Errorf("%s: 4 steps took %d requests", protocol, n)
		}
		requests := d.provider.Requests()
		if sent := string(marshalled(requests[3].Body)); strings.Count(sent, "Finish now.") != 3 {
			t.Errorf("%s: it was sent %s", protocol, sent)
		}
	}
}

// TestAnswerWithoutAWordOrACallHasAPlaceInTheConversation: one that was cut while it was
// thought of. Some servers take no message that is empty.
func TestAnswerWithoutAWordOrACallHasAPlaceInTheConversation(t *testing.T) {
	for name, s := range servers {
		d := open(t, fakeprovider.Strict(s.rules, fakeprovider.Turn{Text: "well"}.Answer())).known(s.offer)
		r := begin()
		r.Messages = append(r.Messages, Message{Role: RoleAssistant}, TextMessage(RoleUser, "Say less."))
		if _, err := d.Chat(t.Context(), r); err != nil || len(d.provider.Requests()) != 1 {
			t.Errorf("%s: %v after %d requests", name, err, len(d.provider.Requests()))
		}
	}
}

func TestIdsOfNineLettersAndDigitsStayAsTheyAre(t *testing.T) {
	seen := map[string]string{}
	for _, id := range []string{"ks5Dn0Xa1", "call_0", "call_1", "toolu_012", "chatcmpl-tool-0f3b5a1c2d4e4f60a1b2c3d4e5f60718"} {
		nine := nineOf(id)
		if len(nine) != 9 || strings.ContainsAny(nine, "_-") || seen[nine] != "" || nineOf(nine) != nine || id == "ks5Dn0Xa1" && nine != id {
			t.Errorf("%s became %s, as did %q", id, nine, seen[nine])
		}
		seen[nine] = id
	}
}
