package egress

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/model"
	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// A model that reads the brief, and then changes the sources in two steps.
const (
	reading = `{"mechanic":"gap","theme":"forest","hero":"duck","title":"Wackel-Ente 🦆 für 你","unmet":["it wobbles"]}`
	title   = "Wackel-Ente 🦆 für 你"
	wobble  = "Math.sin(s.t * 9) * 3"
)

var (
	used   = &fakeprovider.Usage{PromptTokens: 1000, CompletionTokens: 1}
	reads  = fakeprovider.Chat{Text: reading, Usage: used}
	edits  = fakeprovider.Chat{Tools: []fakeprovider.ToolCall{call("edit_file", "path", "src/mechanics/gap.js", "old", "X, s.y, s.r * 2.9", "new", "X, s.y + "+wobble+", s.r * 2.9")}, Usage: used}
	handIn = fakeprovider.Chat{Tools: []fakeprovider.ToolCall{call("done", "summary", "Die Ente wackelt 🦆.")}, Usage: used}
)

func call(name string, pairs ...string) fakeprovider.ToolCall {
	arguments := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		arguments[pairs[i]] = pairs[i+1]
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // of strings
	}
	return fakeprovider.ToolCall{Name: name, Arguments: string(raw)}
}

// talk answers by what it is asked, however often: the reading of the brief, the
// change of the sources, and what comes after a tool's result.
func talk(reads, edits, handIn fakeprovider.Answer) fakeprovider.Answer {
	return func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		messages, _ := q.Body["messages"].([]any)
		last, _ := messages[len(messages)-1].(map[string]any)
		switch _, tools := q.Body["tools"]; {
		case !tools:
			reads(p, w, r, q)
		case last["role"] != "tool":
			edits(p, w, r, q)
		default:
			handIn(p, w, r, q)
		}
	}
}

// like are the three answers with something wrong about each.
func like(spoil func(c *fakeprovider.Chat)) fakeprovider.Answer {
	spoilt := func(c fakeprovider.Chat) fakeprovider.Answer {
		spoil(&c)
		return c.Answer()
	}
	return talk(spoilt(reads), spoilt(edits), spoilt(handIn))
}

// each puts faults before every answer.
func each(faults ...fakeprovider.Answer) fakeprovider.Answer {
	behind := func(c fakeprovider.Chat) fakeprovider.Answer {
		return fakeprovider.InTurn(append(slices.Clone(faults), c.Answer())...)
	}
	return talk(behind(reads), behind(edits), behind(handIn))
}

// after has the model read the brief, and fail from then on.
func after(fault fakeprovider.Answer) fakeprovider.Answer {
	return talk(reads.Answer(), fault, fault)
}

// What a job says of a model that could not be used for a part of it.
const (
	notRead    = "The model could not be used: the generator read the request by itself."
	notChanged = "The model changed nothing in the sources, since "
)

// brief has a wish that no GameSpec can express.
const brief = "a yellow duck that flaps through gaps, and it wobbles"

func TestJobEndsWithAGameWhateverTheChatModelDoes(t *testing.T) {
	t.Parallel()
	refusesTools := func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		if _, asked := q.Body["tools"]; asked {
			fakeprovider.Refuses(`{"error":{"message":"registry.example/writer does not support tools","type":"invalid_request_error"}}`)(p, w, r, q)
			return
		}
		reads.Answer()(p, w, r, q)
	}
	loops := fakeprovider.Chat{Tools: []fakeprovider.ToolCall{call("read_file", "path", "src/main.js")}, Usage: used}.Answer()
	quick := model.Options{First: 4 * time.Second, Stall: 4 * time.Second}
	for name, tc := range map[string]struct {
		answer  fakeprovider.Answer
		limits  model.Options
		says    string // in the record; "" for nothing
		read    bool   // the model read the brief
		changed bool   // and changed the sources
	}{
		"cut anywhere":                    {answer: like(func(c *fakeprovider.Chat) { c.Every = 1; c.ArgumentsIn = 9 }), read: true, changed: true},
		"cut within characters":           {answer: like(func(c *fakeprovider.Chat) { c.Bytes = 3; c.Every = 5 }), read: true, changed: true},
		"no usage":                        {answer: like(func(c *fakeprovider.Chat) { c.Usage = nil }), read: true, changed: true},
		"arguments as an object":          {answer: like(func(c *fakeprovider.Chat) { c.ArgumentsAsObject = true }), read: true, changed: true},
		"no end of the stream":            {answer: like(func(c *fakeprovider.Chat) { c.NoEnd = true }), read: true, changed: true},
		"429 before each answer":          {answer: each(fakeprovider.RateLimited(7)), read: true, changed: true},
		"500 twice before each":           {answer: each(fakeprovider.Status(500, "overloaded"), fakeprovider.Status(503, "")), read: true, changed: true},
		"hangs up before each":            {answer: each(fakeprovider.HangsUp()), read: true, changed: true},
		"cut off in JSON before each":     {answer: each(fakeprovider.Chat{Text: reading, Truncate: 300}.Answer()), read: true, changed: true},
		"silent before each":              {answer: each(fakeprovider.Stalls(true)), limits: quick, read: true, changed: true},
		"429 for ever":                    {answer: fakeprovider.RateLimited(7), says: notRead},
		"500 for ever":                    {answer: fakeprovider.Status(500, "overloaded"), says: notRead},
		"silent for ever":                 {answer: fakeprovider.Stalls(false), limits: quick, says: notRead},
		"silent after a word":             {answer: fakeprovider.Stalls(true), limits: quick, says: notRead},
		"cut off in JSON":                 {answer: fakeprovider.Chat{Text: reading, Truncate: 300}.Answer(), says: notRead},
		"half a document":                 {answer: fakeprovider.Chat{Text: reading[:40], Usage: used}.Answer(), says: notRead},
		"a page in place of an answer":    {answer: fakeprovider.Body("text/html", "<html>Bad gateway</html>"), says: notRead},
		"elsewhere":                       {answer: fakeprovider.Redirects("http://127.0.0.1:1/"), says: notRead},
		"an endless answer":               {answer: fakeprovider.Endless(), says: notRead},
		"the same useless answer":         {answer: fakeprovider.Says("What a nice idea!"), says: notRead},
		"no tools, and says so":           {answer: refusesTools, says: notChanged + "it could not be asked", read: true},
		"no tools, and passes over them":  {answer: after(fakeprovider.Chat{Text: "Here is the code: ```js\n```", Usage: used}.Answer()), says: notChanged + "it called no tool", read: true},
		"the same call again and again":   {answer: after(loops), says: notChanged + "it went round in circles", read: true},
		"500 once it has read":            {answer: after(fakeprovider.Status(500, "")), says: notChanged + "it could not be asked", read: true},
		"silent once it has read":         {answer: after(fakeprovider.Stalls(true)), limits: quick, says: notChanged + "it could not be asked", read: true},
		"a call cut off in its arguments": {answer: after(fakeprovider.Chat{Tools: edits.Tools, Truncate: 420}.Answer()), says: notChanged + "it could not be asked", read: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, tc.answer)
			w := r.engine(tc.limits)
			o := w.work(brief, api.Settings{Model: "writer", ReasoningLevel: api.ReasoningLow})
			o.checkGame(tc.says)
			if got := strings.Contains(o.files["src/game.json"], title); got != tc.read {
				t.Errorf("the model read the brief: %v", got)
			}
			if got := strings.Contains(o.files["game.js"], wobble); got != tc.changed {
				t.Errorf("the model changed the sources: %v; after pauses of %v: %v", got, w.paused(), o.events)
			}
			if strings.Contains(name, "429") && !slices.Contains(w.paused(), 7*time.Second) {
				t.Errorf("asked for 7 s the client waited %v", w.paused())
			}
			spent, err := r.side.Job(t.Context(), o.record.JobID)
			if err != nil {
				t.Fatal(err)
			}
			if paid := spent.TIKSpent > api.MicroPerTIK; tc.read && !paid {
				t.Errorf("it spent %s, and a model was used", spent.TIKSpent)
			}
		})
	}
}
