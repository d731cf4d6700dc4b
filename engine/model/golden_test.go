package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"
)

// streams are whole answers, in the shape in which servers send them: the name's
// end is the wire.
func streams(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/streams/*")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, name := range files {
		if strings.HasSuffix(name, ".json") {
			continue
		}
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = raw
	}
	if len(all) < 15 {
		t.Fatalf("there are %d streams", len(all))
	}
	return all
}

// decoded reads a stream as a client does. said is what its events told.
func decoded(wire string, in io.Reader) (reply Reply, said, thought string, err error) {
	a := &answer{model: "m"}
	take := func(a *answer, l line) (bool, error) {
		done, err := codecs[wire].event(a, l)
		for _, e := range a.events {
			said, thought = said+e.Text, thought+e.Thought
		}
		a.events = nil
		return done, err
	}
	if err := readLines(in, maxStream, a, take, func() {}); err != nil {
		return Reply{}, said, thought, err
	}
	reply, err = a.reply(0, 99)
	return reply, said, thought, err
}

// eventsOf are the events that are read of a stream.
func eventsOf(in io.Reader) []string {
	var all []string
	err := readLines(in, maxStream, &answer{ended: true}, func(_ *answer, l line) (bool, error) {
		all = append(all, string(l.data))
		return false, nil
	}, func() {})
	return append(all, fmt.Sprint(err))
}

func wireOf(name string) string { return strings.TrimPrefix(filepath.Ext(name), ".") }

// golden is what a stream says.
func golden(t *testing.T, name string) Reply {
	t.Helper()
	raw, err := os.ReadFile(name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var want Reply
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	return want
}

func TestAnswerOfEachServerIsTheSameHoweverItIsCut(t *testing.T) {
	for name, raw := range streams(t) {
		t.Run(filepath.Base(name), func(t *testing.T) {
			want := golden(t, name)
			check := func(how string, in io.Reader) {
				got, said, _, err := decoded(wireOf(name), in)
				if err != nil || !reflect.DeepEqual(got, want) || said != want.Text() {
					text, _ := json.Marshal(got)
					t.Fatalf("%s: %s, said %q, %v", how, text, said, err)
				}
			}
			check("byte by byte", iotest.OneByteReader(bytes.NewReader(raw)))
			check("with CRLF", bytes.NewReader(bytes.ReplaceAll(raw, []byte("\n"), []byte("\r\n"))))
			// An answer is what its events say, so that the events are enough.
			events := eventsOf(bytes.NewReader(raw))
			for i := range raw {
				if got := eventsOf(io.MultiReader(bytes.NewReader(raw[:i]), bytes.NewReader(raw[i:]))); !slices.Equal(got, events) {
					t.Fatalf("cut in two at %d: %q", i, got)
				}
			}
		})
	}
}

func TestAnswerThatEndsAnywhereIsWholeOrNone(t *testing.T) {
	for name, raw := range streams(t) {
		want := golden(t, name)
		for i := 0; i < len(raw); i += 1 + len(raw)/300 {
			got, said, _, err := decoded(wireOf(name), bytes.NewReader(raw[:i]))
			if err != nil && !errors.Is(err, ErrBroken) {
				t.Errorf("%s, %d bytes: %v", name, i, err)
			}
			if err == nil && (!reflect.DeepEqual(got.Parts, want.Parts) || got.Cut != want.Cut) {
				t.Errorf("%s, %d bytes: %+v", name, i, got)
			}
			if !strings.HasPrefix(want.Text(), said) {
				t.Errorf("%s, %d bytes: it said %q", name, i, said)
			}
		}
	}
}

func TestHalvesOfCharactersAreJoinedOnEachWire(t *testing.T) {
	for wire, stream := range map[string]string{
		ProtocolChat: `data: {"choices":[{"delta":{"content":"A","reasoning_content":"B"}}]}` + "\n\n" +
			`data: {"choices":[{"delta":{"content":"C","reasoning_content":"D"},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
		ProtocolMessages: `data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"B"}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"D"}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"A"}}` + "\n\n" +
			`data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"C"}}` + "\n\n" + `data: {"type":"message_stop"}` + "\n\n",
		ProtocolResponses: `data: {"type":"response.reasoning_text.delta","output_index":0,"delta":"B"}` + "\n\n" +
			`data: {"type":"response.reasoning_text.delta","output_index":0,"delta":"D"}` + "\n\n" +
			`data: {"type":"response.output_text.delta","output_index":1,"delta":"A"}` + "\n\n" +
			`data: {"type":"response.output_text.delta","output_index":1,"delta":"C"}` + "\n\n" + `data: {"type":"response.completed","response":{}}` + "\n\n",
	} {
		const fox = "🦊"
		for cut := 1; cut < len(fox); cut++ {
			halves := strings.NewReplacer(`"A"`, `"a `+fox[:cut]+`"`, `"C"`, `"`+fox[cut:]+` c"`, `"B"`, `"b `+fox[:cut]+`"`, `"D"`, `"`+fox[cut:]+` d"`)
			got, said, thought, err := decoded(wire, strings.NewReader(halves.Replace(stream)))
			if err != nil || got.Text() != "a 🦊 c" || said != "a 🦊 c" || thought != "b 🦊 d" {
				t.Errorf("%s, cut at %d: %q, said %q, thought %q, %v", wire, cut, got.Text(), said, thought, err)
			}
		}
	}
}

func fuzz(f *testing.F, wire string) {
	for name, raw := range streams(f) {
		if wireOf(name) == wire {
			f.Add(raw)
			f.Add(raw[:len(raw)*2/3])
		}
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, said, _, err := decoded(wire, bytes.NewReader(raw))
		if err != nil {
			return
		}
		if !utf8.ValidString(got.Text()) || !utf8.ValidString(said) {
			t.Errorf("%q, and said was %q", got.Text(), said)
		}
		r := Request{Model: "m", Messages: []Message{TextMessage(RoleUser, "go"), got.Message()}}
		for protocol, c := range codecs {
			if body, err := encode(c.encode(r, Offer{Protocol: protocol}, form{})); err != nil || !json.Valid(body) {
				t.Errorf("%s: what came can't be sent: %v", protocol, err)
			}
		}
	})
}

func FuzzChat(f *testing.F)      { fuzz(f, ProtocolChat) }
func FuzzMessages(f *testing.F)  { fuzz(f, ProtocolMessages) }
func FuzzResponses(f *testing.F) { fuzz(f, ProtocolResponses) }
