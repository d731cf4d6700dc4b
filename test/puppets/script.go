package puppets

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// Step is one answer of a puppet.
type Step struct {
	Text  string
	Calls []Call
	Cut   bool // the answer ends within its last call, at the cap
	// Unsaid: that it is cut is to be seen by what it took alone.
	Unsaid bool
	// After are patterns of what the results of the step before it must say.
	After []string
}

// Call is a tool that a puppet calls.
type Call struct {
	Name      string
	Arguments map[string]any
}

const draft = "// A draft.\n"

// Script is how a puppet hands its game over. A fault is what it writes first, and
// mends once it is named.
func (p Puppet) Script(f *Fault) []Step {
	main := string(p.Files["src/main.js"])
	if f != nil {
		main = strings.Replace(main, f.Old, f.New, 1)
	}
	half := strings.Index(main[len(main)/2:], "\n") + len(main)/2 + 1
	steps := []Step{
		{Text: "I look first.", Calls: []Call{{"list_files", nil}, {"read_file", paths("src/main.js", "src/game.json")}, {"search_files", map[string]any{"pattern": "expose"}}}},
		{After: []string{`src/kit/kit\.js \d+`, `"kind"`, `kit\.d\.ts`}, Calls: slices.Concat([]Call{{"note", map[string]any{"text": p.Prompt + "."}}}, p.writes(func(name string) bool {
			return name != "src/main.js" && name != "NOTES.md" && !strings.HasPrefix(name, "checks/")
		}))},
	}
	if f != nil && f.cut {
		steps = append(steps, Step{Cut: true, Calls: []Call{{"write_file", write("src/main.js", main[:half])}}}, Step{After: []string{"cut off"}, Calls: []Call{{"list_files", nil}}})
	}
	steps = append(steps,
		Step{Text: "First half.", Calls: []Call{{"write_file", write("src/main.js", draft+main[:half])}}},
		Step{After: []string{`Wrote \d+ bytes`}, Calls: []Call{{"write_file", map[string]any{"path": "src/main.js", "content": main[half:], "append": true}}}},
		Step{After: []string{fmt.Sprintf("the file has %d", len(draft+main))}, Calls: []Call{edit(draft, "")}},
		Step{After: []string{`Done\.`}, Calls: []Call{{"check", nil}}},
	)
	if f != nil && f.early() {
		steps = append(steps, Step{After: []string{f.pattern()}, Calls: []Call{edit(f.New, f.Old)}}, Step{Calls: []Call{{"check", nil}}})
	}
	steps = append(steps,
		Step{After: []string{`Passed|It builds`}, Text: "Let me see it.", Calls: []Call{{"play", map[string]any{"policy": "mash", "seconds": 3}}, {"read_file", paths("src/main.js")}}},
		Step{After: []string{`kit\.js`}, Calls: p.checks(f)},
		Step{Calls: []Call{{"done", map[string]any{"summary": p.Prompt + ".", "unmet": []string{}}}}},
	)
	if f != nil && !f.early() && !f.cut {
		steps = append(steps, Step{After: []string{f.pattern()}, Calls: []Call{edit(f.New, f.Old)}}, Step{After: []string{`Done\.`}, Calls: []Call{{"check", nil}}},
			Step{Calls: []Call{{"done", map[string]any{"summary": p.Prompt + ".", "unmet": []string{}}}}})
	}
	return steps
}

func paths(names ...string) map[string]any { return map[string]any{"paths": names} }

func write(name, content string) map[string]any {
	return map[string]any{"path": name, "content": content}
}

func edit(old, now string) Call {
	return Call{"edit_file", map[string]any{"path": "src/main.js", "edits": []any{map[string]any{"old": old, "new": now}}}}
}

// writes are the calls that write some of the files.
func (p Puppet) writes(some func(name string) bool) []Call {
	var out []Call
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		if some(name) {
			out = append(out, Call{"write_file", write(name, string(p.Files[name]))})
		}
	}
	return out
}

// checks are the calls that keep the checks. What does not hold yet, because of a
// fault, is written as a file.
func (p Puppet) checks(f *Fault) []Call {
	if f != nil {
		return p.writes(func(name string) bool { return strings.HasPrefix(name, "checks/") })
	}
	var out []Call
	for _, name := range slices.Sorted(maps.Keys(p.Files)) {
		var check map[string]any
		if strings.HasPrefix(name, "checks/") && json.Unmarshal(p.Files[name], &check) == nil {
			expect := check["expect"]
			delete(check, "name")
			delete(check, "expect")
			out = append(out, Call{"save_check", map[string]any{"name": strings.TrimSuffix(path.Base(name), ".json"), "trace": check, "expect": expect}})
		}
	}
	return out
}

// early reports whether a fault is found before the game is played.
func (f *Fault) early() bool {
	return !f.cut && (len(f.Rules) == 0 || slices.ContainsFunc(f.Rules, func(rule string) bool { return rule[0] == 'A' }))
}

// pattern is what a verdict says that names the fault.
func (f *Fault) pattern() string {
	any := slices.Clone(f.Rules)
	if slices.Contains(any, "A03") { // the audit's words go without its rules
		any = []string{"it uses the network"}
	}
	if f.Says != "" {
		any = append(any, regexp.QuoteMeta(f.Says))
	}
	return strings.Join(any, "|")
}

// turn is a step as an answer of the fake provider; its calls have the step's number.
func (s Step) turn(n int, tools []string, manner fakeprovider.Manner) fakeprovider.Turn {
	t := fakeprovider.Turn{Manner: manner, Text: s.Text, Cut: s.Cut, Unsaid: s.Unsaid, Reasoning: fmt.Sprintf("Step %d: what comes next? – 好", n)}
	for i, c := range s.Calls {
		c = c.known(tools)
		raw, err := json.Marshal(c.Arguments)
		if err != nil {
			panic(err) // of what a script holds
		}
		if c.Arguments == nil {
			raw = []byte("{}")
		}
		if s.Cut && i == len(s.Calls)-1 {
			raw = raw[:len(raw)*2/3]
		}
		t.Tools = append(t.Tools, fakeprovider.ToolCall{ID: fmt.Sprintf("s%03d_%d", n, i), Name: c.Name, Arguments: string(raw)})
	}
	return t
}

// known is a call by tools that are offered: a check that can't be kept is written.
func (c Call) known(tools []string) Call {
	if slices.Contains(tools, c.Name) {
		return c
	}
	switch c.Name {
	case "save_check":
		check := maps.Clone(c.Arguments["trace"].(map[string]any))
		check["name"], check["expect"] = c.Arguments["name"], c.Arguments["expect"]
		raw, err := json.MarshalIndent(check, "", "  ")
		if err != nil {
			panic(err) // of what was read as JSON
		}
		return Call{"write_file", write("checks/"+c.Arguments["name"].(string)+".json", string(raw)+"\n")}
	case "play":
		return Call{"list_files", nil}
	}
	return c
}
