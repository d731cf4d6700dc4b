package model

import (
	"errors"
	"strings"
	"testing"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// TestServerThatDropsTheBeginningInSilenceIsFound: by how little it says that it read, and
// by nothing that another server may say.
func TestServerThatDropsTheBeginningInSilenceIsFound(t *testing.T) {
	prose := "The fox runs through the gap, and the gap becomes smaller each time. "
	for name, tc := range map[string]struct {
		text         string
		bytes        int // of the rules
		result       int // of a tool, the last message; 0: there was no call yet
		read, cached int
		want         Kind
	}{
		"half of 4,096, a short talk":    {prose, 14_000, 0, 2050, 0, Small},
		"half of 4,096, a long result":   {prose, 14_000, 9000, 2050, 0, Small},
		"half of 2,048":                  {prose, 9000, 0, 1026, 0, Small},
		"all of 4,096":                   {prose, 60_000, 0, 4096, 0, Small},
		"all of 4,096, most of it known": {prose, 60_000, 0, 96, 4000, Small},
		"half of 32,768":                 {prose, 160_000, 0, 16_386, 0, Overflow},
		"all of it":                      {prose, 60_000, 0, 14_000, 0, ""},
		"all of it, five bytes a token":  {prose, 60_000, 0, 12_000, 0, ""},
		"nothing to drop":                {prose, 6000, 0, 1600, 0, ""},
		"a usage that is a joke":         {prose, 60_000, 0, 11, 0, ""},
		"what is new, and no more":       {prose, 14_000, 6000, 2000, 0, ""},
		"letters of three bytes":         {"लोमड़ी उड़ती है ", 30_000, 0, 2700, 0, ""},
		"much room between the words":    {"else" + strings.Repeat(" ", 40) + "{\n" + strings.Repeat("\t", 40), 60_000, 0, 2100, 0, ""},
	} {
		d := open(t, fakeprovider.Turn{Text: "x", Took: &fakeprovider.Took{Input: tc.read, Cached: tc.cached, Output: 1}}.Answer()).known(Offer{})
		r := begin()
		r.System = strings.Repeat(tc.text, tc.bytes/len(tc.text))
		if tc.result > 0 {
			r.Messages = append(r.Messages, NewReply("", Call{ID: "a", Name: "look", Arguments: "{}"}).Message(), ResultMessage("a", strings.Repeat(prose, tc.result/len(prose))))
		}
		_, err := d.Chat(t.Context(), r)
		if KindOf(err) != tc.want || tc.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		var refused *Refusal
		if tc.want != "" && (!errors.As(err, &refused) || refused.Context != tc.read+tc.cached || !charged(err)) {
			t.Errorf("%s: %+v", name, refused)
		}
		if helps := strings.Contains(Hint(err), "num_ctx"); helps != (tc.want == Small) {
			t.Errorf("%s: %q", name, Hint(err))
		}
	}
}

// TestWindowThatIsTooSmallSaysWhatToSet: one sentence, whether the list of models says how
// little a model holds, its server, or nobody.
func TestWindowThatIsTooSmallSaysWhatToSet(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		says string
	}{
		"the list of models": {Fits(4096), "The model holds too little: "},
		"its server":         {&Refusal{Reason: "exceed_context_size_error", Context: 4096}, "The model holds too little: "},
		"nobody":             {Missed(2050), "read 2050 tokens of what it was sent and dropped the rest without a word: "},
		"there is room":      {&Refusal{Reason: reasonOverflow, Context: 20_000}, ""},
		"nothing is known":   {&Refusal{Reason: reasonOverflow}, ""},
	} {
		hint := Hint(tc.err)
		if !strings.Contains(hint, tc.says) || (hint == "") != (tc.says == "") || strings.Count(hint, ". ") > 0 {
			t.Errorf("%s: %q", name, hint)
		}
		for _, word := range []string{"num_ctx", "OLLAMA_CONTEXT_LENGTH", "-c", "--max-model-len", "context in the list of models"} {
			if hint != "" && !strings.Contains(hint, word) {
				t.Errorf("%s: it says nothing of %s: %q", name, word, hint)
			}
		}
	}
}
