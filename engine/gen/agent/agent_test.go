package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/model"
)

// turn is what a scripted model does when it is asked.
type turn func(ctx context.Context, r model.Request) (model.Reply, error)

// scripted takes one turn after the other, and the last for ever.
type scripted struct {
	turns []turn
	asked []model.Request
}

func (m *scripted) Chat(ctx context.Context, r model.Request) (model.Reply, error) {
	r.Messages = slices.Clone(r.Messages)
	m.asked = append(m.asked, r)
	return m.turns[min(len(m.asked), len(m.turns))-1](ctx, r)
}

// calls answers with tools: name and arguments in turns.
func calls(pairs ...string) turn {
	return func(context.Context, model.Request) (model.Reply, error) {
		reply := model.Reply{Usage: model.Usage{Input: 10, Output: 5}}
		for i := 0; i+1 < len(pairs); i += 2 {
			var c model.Call
			c.Function.Name, c.Function.Arguments = pairs[i], pairs[i+1]
			reply.Calls = append(reply.Calls, c)
		}
		return reply, nil
	}
}

func says(text string) turn {
	return func(context.Context, model.Request) (model.Reply, error) { return model.Reply{Text: text}, nil }
}

func fails(err error) turn {
	return func(context.Context, model.Request) (model.Reply, error) { return model.Reply{}, err }
}

// judge passes a game whose hero says "good", and notes what it was shown.
type judge struct {
	checks, proofs int
	picky          bool // what passes the check does not pass the proof
}

func (j *judge) Syntax(_ context.Context, name, content string) ([]build.Problem, error) {
	return build.Syntax(name, content), nil
}

func (j *judge) Check(ctx context.Context, files compile.Files) (Verdict, error) {
	j.checks++
	files[compile.Script] = []byte("built")
	if strings.Contains(string(files["src/mechanics/gap.js"]), "bad") {
		return Verdict{Findings: []string{"src/mechanics/gap.js: it is bad"}}, ctx.Err()
	}
	return Verdict{OK: true, Note: "fine"}, ctx.Err()
}

func (j *judge) Prove(ctx context.Context, files compile.Files) (Verdict, error) {
	j.proofs++
	v, err := j.Check(ctx, files)
	if j.picky {
		v = Verdict{Findings: []string{fmt.Sprintf("in the browser: it is dark %d", j.proofs)}}
	}
	return v, err
}

// log notes what is reported.
type log struct {
	said  []string
	calls []string
	steps int
}

func (l *log) Step(n, _ int) { l.steps = n }

func (l *log) Say(text string) { l.said = append(l.said, text) }

func (l *log) Call(name string, args map[string]any) func(bool, string) {
	raw, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return func(ok bool, summary string) {
		l.calls = append(l.calls, fmt.Sprintf("%s %s %v: %s", name, raw, ok, summary))
	}
}

func game() compile.Files {
	return compile.Files{
		"src/mechanics/gap.js": []byte("export const meta = { id: 'gap' };\nconst speed = 1;\nlet a = 1;\nlet b = 1;\n"),
		"src/main.js":          []byte("boot();\n"), "src/game.json": []byte(`{"play":{"speed":1}}`),
		"src/core/hook.js": []byte("hook"), "index.html": []byte("<html>"), "lib/phaser.min.js": []byte("phaser"),
		"assets/hero.png": []byte("\x89PNG"), compile.Script: []byte("built"),
	}
}

func task() Task {
	return Task{
		Model: "wise", Game: game(), Mechanic: "gap", About: "A game.", Limits: Limits{Steps: 10, Tokens: 1 << 20, Wall: time.Minute, Fixes: 1},
		Ask: author.Ask{Prompt: "make it wobble", Skills: []api.Skill{{Key: "wobble", Title: "Wobble", Files: []api.SkillFile{{Path: "w.js", Content: "wobble()"}}}}},
		Tune: func([]byte, map[string]float64) ([]byte, string, error) {
			return []byte(`{"play":{"speed":2}}`), "speed 2", nil
		},
	}
}

type run struct {
	Outcome
	err   error
	model *scripted
	judge *judge
	log   *log
}

// work runs a model's turns.
func work(t *testing.T, task Task, judge *judge, turns ...turn) run {
	t.Helper()
	r := run{model: &scripted{turns: turns}, judge: judge, log: &log{}}
	r.Outcome, r.err = Run(t.Context(), r.model, judge, r.log, task)
	return r
}

// answers are the results that the model got of its last turn's calls.
func (r run) answers() []string {
	var out []string
	for _, m := range r.model.asked[len(r.model.asked)-1].Messages {
		if m.Role == model.RoleTool {
			out = append(out, m.Content)
		}
	}
	return out
}

const finish = `{"summary":"It wobbles.","unmet":["a  song"]}`

func edit(old, new string) string {
	raw, _ := json.Marshal(map[string]any{"path": "src/mechanics/gap.js", "old": old, "new": new})
	return string(raw)
}

func TestModelEditsAndHandsIn(t *testing.T) {
	r := work(t, task(), &judge{},
		calls("list_files", "{}", "read_file", `{"path":"src/mechanics/gap.js","start":2,"end":2}`, "read_file", `{"path":"skills/wobble/w.js"}`, "search_files", `{"pattern":"spe+d"}`),
		calls("edit_file", edit("speed = 1", "speed = 2"), "write_file", `{"path":"src/core/wobble.js","content":"export const w = 1;\n"}`, "set_tuning", `{"changes":{"speed":2}}`),
		calls("build_and_check", ""), calls("done", finish))
	if r.err != nil || r.Stop != "" || r.Steps != 4 || r.log.steps != 4 || r.Usage.Input != 40 {
		t.Fatalf("%+v, %v", r.Outcome, r.err)
	}
	for name, want := range map[string]string{
		"src/mechanics/gap.js": strings.Replace(string(game()["src/mechanics/gap.js"]), "speed = 1", "speed = 2", 1),
		"src/core/wobble.js":   "export const w = 1;\n", "src/game.json": `{"play":{"speed":2}}`, compile.Script: "built", "assets/hero.png": "\x89PNG",
	} {
		if string(r.Files[name]) != want {
			t.Errorf("%s is %q", name, r.Files[name])
		}
	}
	if r.Summary != "It wobbles." || !slices.Equal(r.Unmet, []string{"a song"}) {
		t.Errorf("%q, unmet %q", r.Summary, r.Unmet)
	}
	got := strings.Join(r.answers(), "\n")
	for _, want := range []string{"src/mechanics/gap.js 74", "skills/wobble/w.js 8", "2\tconst speed = 1;", "1\twobble()", "src/mechanics/gap.js:2: const speed = 1;", "Passed. fine"} {
		if !strings.Contains(got, want) {
			t.Errorf("the model was not told %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "phaser.min.js") || strings.Contains(got, "hero.png") {
		t.Error("the model was shown what is no source")
	}
	if len(r.log.calls) != 9 || strings.Contains(strings.Join(r.log.calls, ""), "export const") {
		t.Errorf("reported %q", r.log.calls)
	}
}

func TestPromptComesInOrderAndOffersTheTools(t *testing.T) {
	job := task()
	job.Ask.Instructions, job.Ask.Context = "INSTRUCTIONS", []api.ContextBlock{{Name: "c", Content: "CONTEXT"}}
	r := work(t, job, &judge{}, calls("done", finish))
	asked := r.model.asked[0]
	text := asked.Messages[0].Content + asked.Messages[1].Content
	at := -1
	for _, part := range []string{"You change the sources", "export const meta", "INSTRUCTIONS", "CONTEXT", "wobble()", "make it wobble"} {
		i := strings.Index(text, part)
		if i <= at {
			t.Errorf("%q stands at %d, after %d", part, i, at)
		}
		at = i
	}
	var names []string
	for _, tool := range asked.Tools {
		names = append(names, tool.Function.Name)
		if !json.Valid(tool.Function.Parameters) {
			t.Errorf("%s: its parameters are no JSON: %s", tool.Function.Name, tool.Function.Parameters)
		}
	}
	if !slices.Equal(names, []string{"list_files", "read_file", "write_file", "edit_file", "search_files", "set_tuning", "build_and_check", "done"}) {
		t.Errorf("the tools are %v", names)
	}
}

func TestNoToolReachesBeyondTheSources(t *testing.T) {
	for _, path := range []string{
		"../AGENTS.md", "src/../../x.js", "/etc/passwd", "AGENTS.md", ".svc/settings.json", "index.html", "lib/svc.js", "lib/phaser.min.js", "game.js",
		"assets/hero.png", "src/.hidden.js", "src/a\x00.js", `src\a.js`, "src/con.js", "src/LPT1.json", "src/a.html", "src/a.sh", "src/", "src", "", "skills/wobble/w.js",
		"src/a/b/c/d/e/f/g.js", "src/game.json", "src/main.js", "src/core/hook.js", "src/core/field.js", "src/core/boot.js", "src/MAIN.js", "src/mechanics/Gap.js",
		"src/mechanics/gap.js/x.js", "src/core", "file:///src/a.js", "src/ü.js", "src//a.js", "src/./a.js", "./../src/a.js",
	} {
		for _, tool := range []string{"write_file", "edit_file"} {
			arguments, err := json.Marshal(map[string]any{"path": path, "content": "x", "old": "o", "new": "x"})
			if err != nil {
				t.Fatal(err)
			}
			r := work(t, task(), &judge{}, calls(tool, string(arguments)), calls("done", finish))
			if got := r.answers(); r.err != nil || r.Files != nil || !strings.HasPrefix(got[0], "Error: ") {
				t.Errorf("%s %q: %q, %v", tool, path, got, r.err)
			}
		}
	}
	for _, path := range []string{"../AGENTS.md", "/etc/passwd", "assets/hero.png", "lib/phaser.min.js", "game.js", "skills/../src/main.js", ""} {
		arguments, err := json.Marshal(map[string]any{"path": path})
		if err != nil {
			t.Fatal(err)
		}
		if r := work(t, task(), &judge{}, calls("read_file", string(arguments)), calls("done", finish)); !strings.HasPrefix(r.answers()[0], "Error: ") {
			t.Errorf("reading %q: %q", path, r.answers())
		}
	}
}

func TestFilesAreBounded(t *testing.T) {
	s := newSources(game(), nil)
	if err := s.write("src/big.js", strings.Repeat("x", maxFile+1)); err == nil {
		t.Error("a file that is too large was written")
	}
	if err := s.write("src/text.js", "\xff\xfe"); err == nil {
		t.Error("a file that is no text was written")
	}
	full := newSources(game(), nil)
	var err error
	for i := 0; err == nil && i < maxSources/maxFile+2; i++ {
		err = full.write(fmt.Sprintf("src/f%d.js", i), strings.Repeat("x", maxFile))
	}
	if err == nil {
		t.Error("the sources grow without a bound")
	}
	err = nil
	for i := 0; err == nil && i < maxFiles+2; i++ {
		err = s.write(fmt.Sprintf("src/f%d.js", i), "x")
	}
	if err == nil {
		t.Error("the files grow in number without a bound")
	}
}

func TestEditNeedsOnePlace(t *testing.T) {
	for name, c := range map[string]struct{ old, new, says string }{
		"not there":  {"speed = 7", "speed = 2", "nearest there is:\n1\texport"},
		"two places": {"let ", "var ", "2 times"}, "empty": {"", "x", "is empty"}, "the same": {"speed", "speed", "are the same"},
	} {
		r := work(t, task(), &judge{}, calls("edit_file", edit(c.old, c.new)), calls("done", finish))
		if got := r.answers()[0]; !strings.Contains(got, c.says) {
			t.Errorf("%s: %q", name, got)
		}
	}
	r := work(t, task(), &judge{}, calls("edit_file", edit("nowhere", "y")), calls("edit_file", edit("elsewhere", "y")), calls("done", finish))
	if got := r.answers()[1]; !strings.Contains(got, "write it whole with write_file") {
		t.Errorf("after two failures: %q", got)
	}
	r = work(t, task(), &judge{}, calls("edit_file", `{"path":"src/mechanics/gap.js","old":"let ","new":"var ","all":true}`), calls("done", finish))
	if strings.Contains(string(r.Files["src/mechanics/gap.js"]), "let ") {
		t.Error("not all places were replaced")
	}
}

func TestFaultsOfAnswersAreToldToTheModel(t *testing.T) {
	cut := func(context.Context, model.Request) (model.Reply, error) {
		var c model.Call
		c.Function.Name, c.Function.Arguments = "write_file", `{"path":"src/a.js","content":"let`
		return model.Reply{Text: "I write", Calls: []model.Call{c}, Cut: true}, nil
	}
	for name, c := range map[string]struct {
		turn turn
		says string
	}{
		"unknown tool":       {calls("shell", `{"cmd":"curl"}`), `there is no tool "shell"`},
		"broken arguments":   {calls("write_file", `{"path":"src/a.js",`), "no valid JSON object"},
		"a list":             {calls("write_file", `["src/a.js"]`), "no valid JSON object"},
		"null":               {calls("read_file", `null`), "no valid JSON object"},
		"nothing":            {calls("read_file", ``), "argument path is missing"},
		"missing":            {calls("write_file", `{"path":"src/a.js"}`), "argument content is missing"},
		"wrong type":         {calls("read_file", `{"path":7}`), "argument path has the wrong type"},
		"null content":       {calls("write_file", `{"path":"src/a.js","content":null}`), "argument content is missing"},
		"cut off":            {cut, "cut off in the middle of this call"},
		"bad expression":     {calls("search_files", `{"pattern":"("}`), "can't be read"},
		"syntax of the file": {calls("write_file", `{"path":"src/a.js","content":"let = ;"}`), "Line 1: "},
		"lines beyond":       {calls("read_file", `{"path":"src/main.js","start":9}`), "has 1 lines"},
	} {
		r := work(t, task(), &judge{}, c.turn, calls("done", finish))
		if got := strings.Join(r.answers(), "\n"); r.err != nil || r.Stop != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s: %q, %+v, %v", name, got, r.Stop, r.err)
		}
		for _, m := range r.model.asked[len(r.model.asked)-1].Messages {
			for _, call := range m.ToolCalls {
				if !json.Valid([]byte(call.Function.Arguments)) || call.ID == "" || call.Type != "function" {
					t.Errorf("%s: the history holds the call %+v", name, call)
				}
			}
		}
	}
}

func TestCallsGetIdsOfTheirOwn(t *testing.T) {
	same := func(context.Context, model.Request) (model.Reply, error) {
		var a, b model.Call
		a.ID, b.ID = "call_0", ""
		a.Function.Name, b.Function.Name = "list_files", "list_files"
		return model.Reply{Calls: []model.Call{a, b}}, nil
	}
	r := work(t, task(), &judge{}, same, same, calls("done", finish))
	seen := map[string]bool{}
	for _, m := range r.model.asked[2].Messages {
		for _, c := range m.ToolCalls {
			if seen[c.ID] {
				t.Errorf("the id %s is used twice", c.ID)
			}
			seen[c.ID] = true
		}
		if m.Role == model.RoleTool && !seen[m.ToolCallID] {
			t.Errorf("a result of %s, which no one called", m.ToolCallID)
		}
	}
	if len(seen) != 4 {
		t.Errorf("%d calls", len(seen))
	}
	var many []string
	for range 40 {
		many = append(many, "list_files", "{}")
	}
	r = work(t, task(), &judge{}, calls(many...), calls("done", finish))
	if got := len(r.log.calls); got > maxCalls+1 {
		t.Errorf("%d calls of one answer were made", got)
	}
}

func TestModelThatTalksOnlyIsStopped(t *testing.T) {
	r := work(t, task(), &judge{}, says("What a nice game!"))
	if r.Stop != StopSilent || r.Files != nil || len(r.model.asked) != maxSilent+1 || r.judge.proofs != 0 {
		t.Errorf("%+v after %d questions", r.Outcome, len(r.model.asked))
	}
	r = work(t, task(), &judge{}, says("Let me see."), calls("done", finish))
	if r.Stop != "" {
		t.Errorf("a word too much: %+v", r.Outcome)
	}
}

func TestModelThatRepeatsItselfIsStopped(t *testing.T) {
	job := task()
	job.Limits.Steps = 60
	for name, turns := range map[string][]turn{
		"the same":        {calls("read_file", `{"path":"src/main.js"}`)},
		"the same error":  {calls("read_file", `{"path":"src/none.js"}`)},
		"checks again":    {calls("build_and_check", "")},
		"hands in again":  {calls("edit_file", edit("speed", "bad")), calls("done", finish)},
		"to and fro":      alternating(),
		"no such tool":    {calls("shell", "{}")},
		"no change at it": {calls("write_file", `{"path":"src/a.js","content":"1"}`)},
	} {
		r := work(t, job, &judge{}, turns...)
		if r.Stop != StopLoop || len(r.model.asked) > 14 || r.judge.proofs > 2 {
			t.Errorf("%s: %q after %d questions and %d proofs", name, r.Stop, len(r.model.asked), r.judge.proofs)
		}
		if !strings.Contains(fmt.Sprint(r.model.asked[len(r.model.asked)-1].Messages), "You are repeating yourself") && name != "to and fro" {
			t.Errorf("%s: it was not told so", name)
		}
	}
}

func alternating() []turn {
	var out []turn
	for range 20 {
		out = append(out, calls("edit_file", edit("speed = 1", "speed = 2")), calls("edit_file", edit("speed = 2", "speed = 1")))
	}
	return out
}

func TestStepsAndTokensAreBounded(t *testing.T) {
	var turns []turn
	for i := range 40 {
		turns = append(turns, calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":"1"}`, i)))
	}
	r := work(t, task(), &judge{}, turns...)
	if r.Stop != StopSteps || r.Steps != 10 {
		t.Errorf("steps: %q after %d", r.Stop, r.Steps)
	}
	job := task()
	job.Limits.Tokens = 50
	r = work(t, job, &judge{}, turns...)
	if r.Stop != StopTokens || r.Steps != 4 || r.model.asked[3].MaxTokens != 5 {
		t.Errorf("tokens: %q after %d, the last may write %d", r.Stop, r.Steps, r.model.asked[len(r.model.asked)-1].MaxTokens)
	}
}

func TestTimeIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(ctx context.Context, _ model.Request) (model.Reply, error) {
			<-ctx.Done()
			return model.Reply{}, ctx.Err()
		}
		start := time.Now()
		r := work(t, task(), &judge{}, calls("edit_file", edit("speed = 1", "speed = 2")), slow)
		if r.Stop != StopWall || time.Since(start) != time.Minute || r.Files == nil {
			t.Errorf("%q after %v", r.Stop, time.Since(start))
		}
	})
}

func TestCancelledRunEndsWithoutARevision(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("cancelled")
	stops := func(context.Context, model.Request) (model.Reply, error) {
		cancel(cause)
		return model.Reply{}, ctx.Err()
	}
	j := &judge{}
	out, err := Run(ctx, &scripted{turns: []turn{calls("edit_file", edit("speed = 1", "speed = 2")), stops}}, j, &log{}, task())
	if !errors.Is(err, cause) || out.Files != nil || j.proofs != 0 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestWhatDoesNotPassIsNeverHandedOut(t *testing.T) {
	spoil := calls("edit_file", edit("speed", "bad"))
	for name, turns := range map[string][]turn{
		"handed in": {spoil, calls("done", finish), calls("edit_file", edit("let a", "let c")), calls("done", finish)},
		"left":      {spoil, says("I am done.")},
		"provider":  {spoil, fails(&model.Refusal{Status: http.StatusBadGateway})},
	} {
		if r := work(t, task(), &judge{}, turns...); r.err != nil || r.Files != nil || r.Stop == "" || r.Summary != "" {
			t.Errorf("%s: %+v, %v", name, r.Outcome, r.err)
		}
	}
	r := work(t, task(), &judge{picky: true}, calls("edit_file", edit("speed = 1", "speed = 2")), calls("build_and_check", ""), calls("done", finish),
		calls("edit_file", edit("speed = 2", "speed = 3")), calls("done", finish))
	if r.Stop != StopFixes || r.Files != nil || r.judge.proofs != 2 {
		t.Errorf("a proof that fails: %+v, %d proofs", r.Outcome, r.judge.proofs)
	}
	if !strings.Contains(strings.Join(r.answers(), "\n"), "in the browser: it is dark 1") {
		t.Errorf("the model was told %q", r.answers())
	}
}

func TestLastRevisionThatPassedIsKeptWhenTheModelIsStopped(t *testing.T) {
	better := calls("edit_file", edit("speed = 1", "speed = 2"))
	spoil := calls("edit_file", edit("speed = 2", "bad"))
	for name, c := range map[string]struct {
		turns []turn
		stop  Stop
	}{
		"unchecked":          {[]turn{better, says("All done!")}, StopSilent},
		"checked, spoilt":    {[]turn{better, calls("build_and_check", ""), spoil, says("Hm.")}, StopSilent},
		"the provider fails": {[]turn{better, fails(&model.Refusal{Status: http.StatusServiceUnavailable})}, StopProvider},
	} {
		r := work(t, task(), &judge{}, c.turns...)
		if r.err != nil || r.Stop != c.stop || !strings.Contains(string(r.Files["src/mechanics/gap.js"]), "speed = 2") || r.judge.proofs != 1 {
			t.Errorf("%s: %q, %v, %d proofs", name, r.Stop, r.err, r.judge.proofs)
		}
	}
}

func TestUsedUpBalanceEndsTheRun(t *testing.T) {
	r := work(t, task(), &judge{}, calls("edit_file", edit("speed = 1", "speed = 2")), fails(&model.Refusal{Status: http.StatusPaymentRequired}))
	if !errors.Is(r.err, model.ErrExhausted) || r.judge.proofs != 0 {
		t.Errorf("%+v, %v", r.Outcome, r.err)
	}
}

func TestLongConversationIsShortenedAndStaysWhole(t *testing.T) {
	job := task()
	job.Limits.Steps = 60
	var turns []turn
	for i := range 20 {
		content := strings.Repeat(fmt.Sprint(i%10), 30<<10)
		turns = append(turns, calls("write_file", fmt.Sprintf(`{"path":"src/f%d.js","content":%q}`, i, content), "read_file", fmt.Sprintf(`{"path":"src/f%d.js"}`, i)))
	}
	r := work(t, job, &judge{}, append(turns, calls("done", finish))...)
	last := r.model.asked[len(r.model.asked)-1].Messages
	size, open := 0, map[string]bool{}
	for _, m := range last {
		size += sizeOf(m)
		for _, c := range m.ToolCalls {
			open[c.ID] = true
			if !json.Valid([]byte(c.Function.Arguments)) {
				t.Errorf("arguments became %q", c.Function.Arguments)
			}
		}
		if m.Role == model.RoleTool {
			delete(open, m.ToolCallID)
		}
	}
	if size > maxTalk+200<<10 || len(open) > 0 || len(last) != 2+20*3 {
		t.Errorf("%d bytes in %d messages, %d calls without a result", size, len(last), len(open))
	}
	if r.Stop != StopSteps && r.Files == nil {
		t.Errorf("%+v", r.Stop)
	}
}

func TestConversationThatIsTooLongForTheModelIsSentShorter(t *testing.T) {
	once := true
	tooLong := func(_ context.Context, r model.Request) (model.Reply, error) {
		if once {
			once = false
			return model.Reply{}, &model.Refusal{Status: http.StatusBadRequest, Reason: "context_length_exceeded"}
		}
		return calls("done", finish)(context.Background(), r)
	}
	if r := work(t, task(), &judge{}, tooLong); r.err != nil || r.Stop != "" || len(r.model.asked) != 2 {
		t.Errorf("%+v, %v", r.Outcome, r.err)
	}
}

func TestStartIsNotChanged(t *testing.T) {
	job := task()
	work(t, job, &judge{}, calls("edit_file", edit("speed = 1", "speed = 2")), calls("done", finish))
	if !maps.EqualFunc(job.Game, game(), func(a, b []byte) bool { return string(a) == string(b) }) {
		t.Error("the game that the model started from was changed")
	}
}

func FuzzCall(f *testing.F) {
	for _, c := range [][2]string{
		{"write_file", `{"path":"src/a.js","content":"1"}`}, {"edit_file", edit("let", "var")}, {"read_file", `{"path":"src/main.js","start":-1,"end":9}`},
		{"search_files", `{"pattern":"(a|b)*$","dir":"src/"}`}, {"set_tuning", `{"changes":{"speed":1e999}}`}, {"done", `{"summary":null,"unmet":[""]}`}, {"", "null"},
	} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, name, arguments string) {
		s := newSession(&scripted{}, &judge{}, &log{}, task())
		var c model.Call
		c.Function.Name, c.Function.Arguments = name, arguments
		r, err := s.call(t.Context(), c, false)
		if err != nil || len(r.text) > maxRead+100 {
			t.Errorf("%d bytes, %v", len(r.text), err)
		}
		for path := range s.game.files {
			if _, was := game()[path]; !was && writable(path) != nil {
				t.Errorf("%q was written", path)
			}
		}
		for path := range fixed {
			if path != dataFile && string(s.game.files[path]) != string(game()[path]) {
				t.Errorf("%s was changed", path)
			}
		}
	})
}
