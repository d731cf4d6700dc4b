package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/model"
)

func TestModelEditsAndHandsIn(t *testing.T) {
	r := work(t, task(), &judge{},
		calls("list_files", "{}", "read_file", `{"path":"src/mechanics/gap.js","start":2,"end":2}`, "read_file", `{"path":"skills/wobble/w.js"}`, "search_files", `{"pattern":"spe+d"}`),
		calls("edit_file", edit("speed = 1", "speed = 2"), "write_file", `{"path":"src/wobble.js","content":"export const w = 1;\n"}`, "edit_file", `{"path":"src/game.json","edits":[{"old":"1","new":"2"}]}`),
		calls("check", ""), calls("done", finish))
	if r.err != nil || r.Stop != "" || r.Steps != 4 || r.log.steps != 4 || r.Usage.Input != 40 {
		t.Fatalf("%+v, %v", r.Outcome, r.err)
	}
	for name, want := range map[string]string{
		"src/mechanics/gap.js": strings.Replace(string(game()["src/mechanics/gap.js"]), "speed = 1", "speed = 2", 1),
		"src/wobble.js":        "export const w = 1;\n", "src/game.json": `{"play":{"speed":2}}`, compile.Script: "built", "assets/hero.png": "\x89PNG",
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
	if strings.Contains(got, "phaser.min.js") {
		t.Error("the model was shown what is no source")
	}
	if len(r.log.calls) != 9 || strings.Contains(strings.Join(r.log.calls, ""), "export const") {
		t.Errorf("reported %q", r.log.calls)
	}
}

func TestEachWishThatAModelLeavesOpenIsHandedOver(t *testing.T) {
	phrases := make([]string, 12)
	for i := range phrases {
		phrases[i] = fmt.Sprintf("wish %d", i)
	}
	unmet, err := json.Marshal(map[string]any{"summary": "It wobbles.", "unmet": phrases})
	if err != nil {
		t.Fatal(err)
	}
	if r := work(t, task(), &judge{}, calls("edit_file", edit("speed = 1", "speed = 2")), calls("done", string(unmet))); !slices.Equal(r.Unmet, phrases) {
		t.Errorf("unmet %q, %v", r.Unmet, r.err)
	}
}

func TestPromptComesInOrderAndOffersTheTools(t *testing.T) {
	job := task()
	job.Ask.Instructions, job.Ask.Context = "INSTRUCTIONS", []api.ContextBlock{{Name: "c", Content: "CONTEXT"}}
	r := work(t, job, &judge{}, calls("done", finish))
	asked := r.model.asked[0]
	text := asked.System + asked.Messages[0].Text()
	at := -1
	for _, part := range []string{"You write small browser games", "MANUAL", "INSTRUCTIONS", "CONTEXT", "wobble()", "export const meta", "make it wobble"} {
		i := strings.Index(text, part)
		if i <= at {
			t.Errorf("%q stands at %d, after %d", part, i, at)
		}
		at = i
	}
	var names []string
	for _, tool := range asked.Tools {
		names = append(names, tool.Name)
		if !json.Valid(tool.Parameters) {
			t.Errorf("%s: its parameters are no JSON: %s", tool.Name, tool.Parameters)
		}
	}
	if !slices.Equal(names, []string{"list_files", "read_file", "search_files", "write_file", "edit_file", "delete_file", "check", "use_skill", "note", "done"}) {
		t.Errorf("the tools are %v", names)
	}
}

func TestNoToolReachesBeyondTheSources(t *testing.T) {
	for _, path := range []string{
		"../AGENTS.md", "src/../../x.js", "/etc/passwd", "AGENTS.md", ".svc/settings.json", "index.html", "lib/svc.js", "lib/phaser.min.js", "game.js",
		"assets/hero.png", "src/.hidden.js", "src/a\x00.js", `src\a.js`, "src/con.js", "src/LPT1.json", "src/a.html", "src/a.sh", "src/", "src", "", "skills/wobble/w.js",
		"src/a/b/c/d/e/f/g.js", "src/main.js", "src/core/hook.js", "src/core/new.js", "src/CORE/new.js", "src/MAIN.js", "src/mechanics/Gap.js",
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
	s := newSources(game(), nil, nil)
	if err := s.write("src/big.js", strings.Repeat("x", maxFile+1)); err == nil {
		t.Error("a file that is too large was written")
	}
	if err := s.write("src/text.js", "\xff\xfe"); err == nil {
		t.Error("a file that is no text was written")
	}
	full := newSources(game(), nil, nil)
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
	r = work(t, task(), &judge{}, calls("edit_file", `{"path":"src/mechanics/gap.js","edits":[{"old":"let a","new":"let c"},{"old":"nowhere","new":"x"}]}`), calls("done", finish))
	if got := r.answers()[0]; !strings.Contains(got, "nothing was changed: in edit 2") || r.Files != nil {
		t.Errorf("one of two that does not fit: %q, %d files", got, len(r.Files))
	}
}

func TestFaultsOfAnswersAreToldToTheModel(t *testing.T) {
	cut := func(context.Context, model.Request) (model.Reply, error) {
		reply := model.NewReply("I write", model.Call{Name: "write_file", Arguments: `{"path":"src/a.js","content":"let`, Cut: true})
		reply.Cut = true
		return reply, nil
	}
	for name, c := range map[string]struct {
		turn turn
		says string
	}{
		"unknown tool":       {calls("shell", `{"cmd":"curl"}`), `there is no tool "shell"`},
		"broken arguments":   {calls("write_file", `{"path":"src/a.js",`), "no valid JSON object"},
		"a list":             {calls("write_file", `["src/a.js"]`), "no valid JSON object"},
		"null":               {calls("read_file", `null`), "no valid JSON object"},
		"nothing":            {calls("delete_file", ``), "argument path is missing"},
		"no file":            {calls("read_file", ``), "1 to 16 files"},
		"missing":            {calls("write_file", `{"path":"src/a.js"}`), "argument content is missing"},
		"wrong type":         {calls("read_file", `{"paths":7}`), "argument paths has the wrong type"},
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
			for _, call := range m.Calls() {
				if !json.Valid([]byte(call.Arguments)) || call.ID == "" {
					t.Errorf("%s: the history holds the call %+v", name, call)
				}
			}
		}
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
		{"search_files", `{"pattern":"(a|b)*$"}`}, {"edit_file", `{"path":"src/game.json","edits":[{"old":"1","new":null}]}`}, {"note", `{"text":"x"}`}, {"delete_file", `{"path":"src/core/hook.js"}`}, {"done", `{"summary":null,"unmet":[""]}`}, {"", "null"},
	} {
		f.Add(c[0], c[1])
	}
	f.Fuzz(func(t *testing.T, name, arguments string) {
		s := newSession(&scripted{}, &judge{}, &log{}, task())
		r, err := s.call(t.Context(), model.Call{Name: name, Arguments: arguments})
		if err != nil || len(r.text) > maxRead+100 {
			t.Errorf("%d bytes, %v", len(r.text), err)
		}
		for path := range s.game.files {
			if _, was := game()[path]; !was && s.game.writable(path) != nil {
				t.Errorf("%q was written", path)
			}
		}
		for _, path := range []string{"src/main.js", "src/core/hook.js", "index.html"} {
			if string(s.game.files[path]) != string(game()[path]) {
				t.Errorf("%s was changed", path)
			}
		}
	})
}

// TestLongLinesAreCutWhereTheyAreShown: a line of 64 kB is a file like any other, and
// fills no conversation.
func TestLongLinesAreCutWhereTheyAreShown(t *testing.T) {
	line := "const long = '" + strings.Repeat("x", 60_000) + "';"
	raw, err := json.Marshal(map[string]string{"path": "src/long.js", "content": line})
	if err != nil {
		t.Fatal(err)
	}
	r := work(t, task(), &judge{}, calls("write_file", string(raw)), calls("read_file", `{"paths":["src/long.js"]}`), calls("search_files", `{"pattern":"long = "}`),
		calls("edit_file", `{"path":"src/long.js","old":"const short","new":"x"}`), calls("edit_file", `{"path":"src/long.js","old":"const long","new":"let long"}`), calls("done", finish))
	for i, answer := range r.answers() {
		if len(answer) > maxRead+100 {
			t.Errorf("answer %d has %d bytes", i, len(answer))
		}
	}
	if got := string(r.Files["src/long.js"]); got != "let"+strings.TrimPrefix(line, "const") {
		t.Errorf("the file has %d bytes: %.40s", len(got), got)
	}
}
