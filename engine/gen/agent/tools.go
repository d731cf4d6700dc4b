package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/model"
)

// Bounds of what a tool says, in bytes. More is cut off, and says so.
const (
	maxResult   = 8 << 10
	maxRead     = 16 << 10
	maxFeedback = 4000
	maxLines    = 400 // of a file that is read without a range
	maxHits     = 50  // of a search
	maxSummary  = 400
	maxUnmet    = 8
	maxPhrase   = 80
)

// result is what a tool says to the model.
type result struct {
	ok   bool
	text string
}

func good(format string, args ...any) result { return result{true, fmt.Sprintf(format, args...)} }
func bad(err error) result                   { return result{false, "Error: " + err.Error()} }

// tool is one that the model can call.
type tool struct {
	name, about string
	parameters  string // the properties of a JSON schema
	required    []string
	// call runs the tool. An error ends the run; what the model did wrong is a
	// result.
	call func(ctx context.Context, s *session, a arguments) (result, error)
}

// arguments are all that any tool takes.
type arguments struct {
	Path    string             `json:"path"`
	Dir     string             `json:"dir"`
	Start   int                `json:"start"`
	End     int                `json:"end"`
	Content *string            `json:"content"`
	Old     string             `json:"old"`
	New     *string            `json:"new"`
	All     bool               `json:"all"`
	Pattern string             `json:"pattern"`
	Changes map[string]float64 `json:"changes"`
	Summary string             `json:"summary"`
	Unmet   []string           `json:"unmet"`
}

// tools in the order in which the model sees them.
var tools = []tool{
	{"list_files", "Lists the files of the game, and of the skills, with their sizes in bytes.",
		`"dir":{"type":"string","description":"a folder; without it all files"}`, nil, listFiles},
	{"read_file", "Returns a file with its lines numbered, at most 400 lines or 16 kB.",
		`"path":{"type":"string"},"start":{"type":"integer","description":"first line, from 1"},"end":{"type":"integer","description":"last line"}`, []string{"path"}, readFile},
	{"write_file", "Makes or replaces a file in src/ (.js, .ts or .json, at most 64 kB) and says what is wrong with its syntax.",
		`"path":{"type":"string"},"content":{"type":"string"}`, []string{"path", "content"}, writeFile},
	{"edit_file", "Replaces a piece of a file. old must stand in it exactly once, without line numbers; all replaces each.",
		`"path":{"type":"string"},"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"}`, []string{"path", "old", "new"}, editFile},
	{"search_files", "Finds the lines that match a regular expression (RE2), at most 50.",
		`"pattern":{"type":"string"},"dir":{"type":"string"}`, []string{"pattern"}, searchFiles},
	{"set_tuning", "Changes tunables in src/game.json, within their bounds: speed, gravity, density, size (0.5 to 2, 1 is usual), ramp, lives, duration (seconds), levels, players.",
		`"changes":{"type":"object","additionalProperties":{"type":"number"}}`, []string{"changes"}, setTuning},
	{"build_and_check", "Audits, builds and simulates the game as it is, and says what does not pass.", ``, nil, buildAndCheck},
	{"done", "Hands the game in. It is built, simulated and played; when it does not pass you are told why and go on.",
		`"summary":{"type":"string","description":"what you changed, in one or two sentences for the user"},"unmet":{"type":"array","items":{"type":"string"},"description":"wishes of the user that you could not meet, in their words"}`, []string{"summary"}, handIn},
}

// definitions are the tools as a model is told of them.
func definitions() []model.Tool {
	var out []model.Tool
	for _, t := range tools {
		required, err := json.Marshal(append([]string{}, t.required...))
		if err != nil {
			panic(err) // of names
		}
		out = append(out, model.Tool{
			Name: t.name, Description: t.about,
			Parameters: json.RawMessage(`{"type":"object","properties":{` + t.parameters + `},"required":` + string(required) + `}`),
		})
	}
	return out
}

// call runs the tool that an answer names. A call that the answer ended in is not
// run, whatever its arguments look like.
func (s *session) call(ctx context.Context, c model.Call) (result, error) {
	i := slices.IndexFunc(tools, func(t tool) bool { return t.name == c.Name })
	if i < 0 {
		done := s.rep.Call("unknown", nil)
		r := bad(fmt.Errorf("there is no tool %q; there are list_files, read_file, write_file, edit_file, search_files, set_tuning, build_and_check and done", author.Clip(c.Name, 60)))
		done(false, "There is no such tool.")
		return r, nil
	}
	a, err := parse(c.Arguments, tools[i].required)
	done := s.rep.Call(tools[i].name, a.shown())
	var r result
	switch {
	case c.Cut:
		r = bad(errors.New("your answer was cut off in the middle of this call. Write a smaller piece: edit_file for a part, or several files"))
	case err != nil:
		r = bad(err)
	default:
		if r, err = tools[i].call(ctx, s, a); err != nil {
			done(false, "It was interrupted.")
			return r, err
		}
	}
	done(r.ok, author.Clip(strings.SplitN(r.text, "\n", 2)[0], 200))
	return r, nil
}

// parse reads a call's arguments.
func parse(text string, required []string) (a arguments, err error) {
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &members) != nil || members == nil {
		return a, errors.New("the arguments are no valid JSON object")
	}
	for _, name := range required {
		if raw, ok := members[name]; !ok || string(raw) == "null" {
			return a, fmt.Errorf("the argument %s is missing", name)
		}
	}
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		var mistyped *json.UnmarshalTypeError
		if errors.As(err, &mistyped) {
			return a, fmt.Errorf("the argument %s has the wrong type", author.Clip(mistyped.Field, 60))
		}
		return a, errors.New("the arguments can't be read")
	}
	return a, nil
}

// shown are arguments as an event has them: how much is written, not what.
func (a arguments) shown() map[string]any {
	out := map[string]any{}
	for name, text := range map[string]string{"path": a.Path, "dir": a.Dir, "pattern": a.Pattern} {
		if text != "" {
			out[name] = author.Clip(text, 200)
		}
	}
	if a.Content != nil {
		out["bytes"] = len(*a.Content)
	}
	if a.New != nil {
		out["bytes"] = len(*a.New)
	}
	if len(a.Changes) > 0 && len(a.Changes) < 20 {
		out["changes"] = a.Changes
	}
	return out
}

func listFiles(_ context.Context, s *session, a arguments) (result, error) {
	names := s.game.names(a.Dir)
	if len(names) == 0 {
		return bad(fmt.Errorf("there is no folder %q", author.Clip(a.Dir, 200))), nil
	}
	var b strings.Builder
	for _, name := range names {
		data, err := s.game.read(name)
		if err != nil {
			return bad(err), nil
		}
		fmt.Fprintf(&b, "%s %d\n", name, len(data))
	}
	return good("%s", limited(b.String(), maxResult)), nil
}

func readFile(_ context.Context, s *session, a arguments) (result, error) {
	data, err := s.game.read(a.Path)
	if err != nil {
		return bad(err), nil
	}
	lines := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
	from, to := max(a.Start, 1)-1, len(lines)
	if a.End > 0 {
		to = min(a.End, to)
	}
	if from >= to {
		return bad(fmt.Errorf("%s has %d lines", a.Path, len(lines))), nil
	}
	last := min(to, from+maxLines)
	text := numbered(lines, from, last)
	if last < to {
		text += fmt.Sprintf("… %d more lines\n", to-last)
	}
	return good("%s", limited(text, maxRead)), nil
}

func writeFile(ctx context.Context, s *session, a arguments) (result, error) {
	if err := s.game.write(a.Path, *a.Content); err != nil {
		return bad(err), nil
	}
	s.clumsy[a.Path] = 0
	faults, err := s.syntax(ctx, a.Path, *a.Content)
	return good("Wrote %d bytes.%s", len(*a.Content), faults), err
}

// maxClumsy is how many edits of a file may fail before the model is told to
// write it whole.
const maxClumsy = 2

func editFile(ctx context.Context, s *session, a arguments) (result, error) {
	data, err := s.game.read(a.Path)
	if err != nil {
		return bad(err), nil
	}
	text, err := replaced(string(data), a.Old, *a.New, a.All)
	if err == nil {
		err = s.game.write(a.Path, text)
	}
	if err != nil {
		if s.clumsy[a.Path]++; s.clumsy[a.Path] >= maxClumsy && writable(a.Path) == nil {
			err = fmt.Errorf("%w\nRead the file and write it whole with write_file", err)
		}
		return bad(err), nil
	}
	s.clumsy[a.Path] = 0
	faults, err := s.syntax(ctx, a.Path, text)
	return good("Done.%s", faults), err
}

// syntax says what the compiler makes of a file on its own.
func (s *session) syntax(ctx context.Context, name, content string) (string, error) {
	problems, err := s.verifier.Syntax(ctx, name, content)
	var b strings.Builder
	for _, p := range problems {
		fmt.Fprintf(&b, "\nLine %d: %s", p.Line, p.Text)
	}
	return limited(b.String(), 1<<10), err
}

func searchFiles(_ context.Context, s *session, a arguments) (result, error) {
	pattern, err := regexp.Compile(a.Pattern)
	if err != nil {
		return bad(fmt.Errorf("the pattern can't be read: %w", err)), nil
	}
	var b strings.Builder
	hits := 0
	for _, name := range s.game.names(a.Dir) {
		data, err := s.game.read(name)
		if err != nil {
			return bad(err), nil
		}
		for i, line := range strings.Split(string(data), "\n") {
			if !pattern.MatchString(line) {
				continue
			}
			if hits++; hits > maxHits {
				return good("%s… and more: search for less", limited(b.String(), maxResult)), nil
			}
			fmt.Fprintf(&b, "%s:%d: %s\n", name, i+1, author.Clip(line, 200))
		}
	}
	if hits == 0 {
		return good("Nothing matches."), nil
	}
	return good("%s", limited(b.String(), maxResult)), nil
}

func setTuning(_ context.Context, s *session, a arguments) (result, error) {
	data, err := s.game.read(dataFile)
	if err != nil {
		return bad(err), nil
	}
	tuned, did, err := s.task.Tune(data, maps.Clone(a.Changes))
	if err != nil {
		return bad(err), nil
	}
	s.game.set(dataFile, tuned)
	return good("%s", did), nil
}

func buildAndCheck(ctx context.Context, s *session, _ arguments) (result, error) {
	v, again, err := s.check(ctx)
	if err != nil {
		return result{}, err
	}
	text := feedback(v)
	if again {
		text = "Nothing was changed since the last time. " + text
	}
	return result{v.OK && !again, text}, nil
}

// handIn proves the game as it is. One that was not changed since it failed is
// not played again.
func handIn(ctx context.Context, s *session, a arguments) (result, error) {
	at := s.game.revision
	if at == s.handedIn {
		return bad(errors.New("nothing was changed since you handed it in. " + feedback(s.refused))), nil
	}
	if at > 0 {
		v, err := s.prove(ctx, s.game.copy())
		if err != nil {
			return result{}, err
		}
		if !v.OK {
			s.handedIn, s.refused = at, v
			s.fixes++
			return result{false, feedback(v)}, nil
		}
	}
	s.finished = true
	s.summary = author.Clip(strings.Join(strings.Fields(a.Summary), " "), maxSummary)
	for _, phrase := range a.Unmet[:min(len(a.Unmet), maxUnmet)] {
		if phrase = strings.Join(strings.Fields(phrase), " "); phrase != "" {
			s.unmet = append(s.unmet, author.Clip(phrase, maxPhrase))
		}
	}
	return good("Passed."), nil
}

// limited cuts a text off and says so.
func limited(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return author.Clip(text, most) + "\n… cut off\n"
}
