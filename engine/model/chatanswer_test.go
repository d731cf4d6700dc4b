package model

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
)

// chatStream is a stream of these deltas.
func chatStream(deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		b.WriteString(`data: {"choices":[{"delta":` + d + "}]}\n\n")
	}
	return b.String() + `data: {"choices":[{"delta":{},"finish_reason":"tool_calls"}]}` + "\n\ndata: [DONE]\n\n"
}

// callDelta is a delta with pieces of calls, each of index, id, name and arguments.
func callDelta(pieces ...[4]string) string {
	var list []string
	for _, p := range pieces {
		arguments, err := json.Marshal(p[3])
		if err != nil {
			panic(err) // of a string
		}
		list = append(list, `{"index":`+p[0]+`,"id":"`+p[1]+`","function":{"name":"`+p[2]+`","arguments":`+string(arguments)+`}}`)
	}
	return `{"tool_calls":[` + strings.Join(list, ",") + `]}`
}

// TestCallsAreDistinctHoweverTheyAreNumbered: servers give each call its number, or all
// of them the same one, and tell its name once, or with each piece.
func TestCallsAreDistinctHoweverTheyAreNumbered(t *testing.T) {
	two := []string{`write {"a":1}`, `write {"a":2}`}
	for name, tc := range map[string]struct {
		stream string
		want   []string
	}{
		"numbered":                   {chatStream(callDelta([4]string{"0", "a", "write", ""}), callDelta([4]string{"1", "b", "write", `{"a":2}`}), callDelta([4]string{"0", "", "", `{"a":1}`})), two},
		"one number":                 {chatStream(callDelta([4]string{"0", "a", "write", `{"a":1}`}), callDelta([4]string{"0", "b", "write", `{"a":2}`})), two},
		"one number, in one chunk":   {chatStream(callDelta([4]string{"0", "a", "write", `{"a":1}`}, [4]string{"0", "b", "write", `{"a":2}`})), two},
		"one number, in pieces":      {chatStream(callDelta([4]string{"0", "a", "write", ""}), callDelta([4]string{"0", "", "", `{"a":1`}), callDelta([4]string{"0", "", "", `}`}), callDelta([4]string{"0", "b", "write", ""}), callDelta([4]string{"0", "", "", `{"a":2}`})), two},
		"one number, without ids":    {chatStream(callDelta([4]string{"0", "", "write", `{"a":1}`}), callDelta([4]string{"0", "", "write", `{"a":2}`})), two},
		"one number, then the next":  {chatStream(callDelta([4]string{"0", "a", "write", `{"a":1}`}), callDelta([4]string{"0", "b", "write", `{"a":2}`}), callDelta([4]string{"1", "c", "list", `{}`})), append(slices.Clone(two), "list {}")},
		"name and id with each":      {chatStream(callDelta([4]string{"0", "a", "write", `{"a"`}), callDelta([4]string{"0", "a", "write", `:1}`}), callDelta([4]string{"1", "b", "write", `{"a":2`}), callDelta([4]string{"1", "b", "write", `}`})), two},
		"name with each":             {chatStream(callDelta([4]string{"0", "a", "write", `{"a"`}), callDelta([4]string{"0", "", "write", `:1}`}), callDelta([4]string{"1", "b", "write", `{"a":2}`})), two},
		"the whole told once more":   {chatStream(callDelta([4]string{"0", "a", "write", `{"a":1}`}), callDelta([4]string{"0", "a", "write", ""}), callDelta([4]string{"1", "b", "write", `{"a":2}`})), two},
		"an id that comes afterward": {chatStream(callDelta([4]string{"0", "", "write", ""}), callDelta([4]string{"0", "a", "", `{"a":1}`}), callDelta([4]string{"1", "b", "write", `{"a":2}`})), two},
	} {
		reply, _, _, err := decoded(ProtocolChat, strings.NewReader(tc.stream))
		var got []string
		for _, c := range reply.Calls() {
			got = append(got, c.Name+" "+c.Arguments)
		}
		if err != nil || !slices.Equal(got, tc.want) || reply.Cut {
			t.Errorf("%s: %q, %+v, %v", name, got, reply, err)
		}
	}
	for _, index := range []string{"-1", "2", "99"} {
		stream := chatStream(callDelta([4]string{"0", "a", "write", `{}`}), callDelta([4]string{index, "b", "write", `{}`}))
		if reply, _, _, err := decoded(ProtocolChat, strings.NewReader(stream)); !errors.Is(err, ErrBroken) {
			t.Errorf("call %s behind the first: %+v, %v", index, reply, err)
		}
	}
}

// TestContentMayBeAList: models of Mistral that reason say what they think in a list, and
// some servers what they say as well.
func TestContentMayBeAList(t *testing.T) {
	for name, tc := range map[string]struct{ content, text, thought string }{
		"a text":           {`"well"`, "well", ""},
		"texts":            {`[{"type":"text","text":"we"},{"type":"text","text":"ll"}]`, "well", ""},
		"a thought":        {`[{"type":"thinking","thinking":[{"type":"text","text":"h"},{"type":"text","text":"m"}]},{"type":"text","text":"well"}]`, "well", "hm"},
		"a thought, plain": {`[{"type":"thinking","thinking":"hm","closed":true},{"type":"text","text":"well"}]`, "well", "hm"},
		"something new":    {`[{"type":"reference","reference_ids":[1]},{"type":"text","text":"well"}]`, "well", ""},
	} {
		for _, stream := range []string{
			`data: {"choices":[{"delta":{"content":` + tc.content + `},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n",
			`{"choices":[{"message":{"role":"assistant","content":` + tc.content + `},"finish_reason":"stop"}]}`,
		} {
			reply, said, thought, err := decoded(ProtocolChat, strings.NewReader(stream))
			if err != nil || reply.Text() != tc.text || said != tc.text || thought != tc.thought {
				t.Errorf("%s: %q, said %q, thought %q, %v", name, reply.Text(), said, thought, err)
			}
		}
	}
}
