package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/svc-games/svc/engine/gen/author"
	"github.com/svc-games/svc/engine/model"
)

// Bounds of what a tool says, in bytes. More is cut off, and says so.
const (
	maxResult   = 8 << 10
	maxRead     = 24 << 10
	maxFeedback = 4000
)

// result is what a tool says to the model.
type result struct {
	ok     bool
	text   string
	images []model.Image
}

func good(format string, args ...any) result {
	return result{ok: true, text: fmt.Sprintf(format, args...)}
}
func bad(err error) result { return result{text: "Error: " + err.Error()} }

// tool is one that the model can call.
type tool struct {
	name, about string
	parameters  string // the properties of a JSON schema
	required    []string
	// offered says whether a task has use for it; nil for each that writes.
	offered func(Task) bool
	// run does it. An error ends the run; what the model did wrong is a result.
	run func(ctx context.Context, s *session, arguments json.RawMessage) (result, error)
}

// tools are all of them, in the order in which a model sees them.
var tools = slices.Concat(readTools, writeTools, checkTools, playTools, saveTools, makeTools, skillTools, endTools, planTools)

// with makes a tool's work of a function that takes its arguments read.
func with[A any](do func(ctx context.Context, s *session, a A) (result, error)) func(context.Context, *session, json.RawMessage) (result, error) {
	return func(ctx context.Context, s *session, raw json.RawMessage) (result, error) {
		var a A
		err := json.Unmarshal(raw, &a)
		var mistyped *json.UnmarshalTypeError
		switch {
		case errors.As(err, &mistyped):
			return bad(fmt.Errorf("the argument %s has the wrong type", author.Clip(strings.ToLower(mistyped.Field), 60))), nil
		case err != nil:
			return bad(errors.New("the arguments can't be read")), nil
		}
		return do(ctx, s, a)
	}
}

// always offers a tool to each task, one for a plan alone too.
func always(Task) bool { return true }

// toolsOf are those that a task has use for.
func toolsOf(t Task) []tool {
	return slices.DeleteFunc(slices.Clone(tools), func(one tool) bool {
		if one.offered == nil {
			return t.Plan
		}
		return !one.offered(t)
	})
}

// definitions are tools as a model is told of them.
func definitions(tools []tool) []model.Tool {
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
	i := slices.IndexFunc(s.tools, func(t tool) bool { return t.name == c.Name })
	if i < 0 {
		done := s.rep.Call("unknown", nil)
		var names []string
		for _, t := range s.tools {
			names = append(names, t.name)
		}
		r := bad(fmt.Errorf("there is no tool %q; there are %s", author.Clip(c.Name, 60), strings.Join(names, ", ")))
		done(false, "There is no such tool.")
		return r, nil
	}
	raw, shown, err := parse(c.Arguments, s.tools[i].required)
	done := s.rep.Call(s.tools[i].name, shown)
	var r result
	switch {
	case c.Cut:
		r = bad(fmt.Errorf("your answer was cut off in the middle of this call, at %d tokens: nothing was done. Write the file in parts: write_file with its beginning, "+
			"then write_file with append true for each part that follows, a part an answer", s.most))
	case err != nil:
		r = bad(err)
	default:
		if r, err = s.tools[i].run(ctx, s, raw); err != nil {
			done(false, "It was interrupted.")
			return r, err
		}
	}
	r.text = s.task.masked(r.text)
	done(r.ok, author.Clip(strings.SplitN(r.text, "\n", 2)[0], 200))
	return r, nil
}

// shownArguments are those that an event has: where and how, not what.
var shownArguments = []string{"path", "paths", "pattern", "name", "shot", "policy", "seconds", "seed", "role", "w", "h", "frames", "append"}

// parse reads a call's arguments, and what of them an event shows: how much is
// written, not what.
func parse(text string, required []string) (raw json.RawMessage, shown map[string]any, err error) {
	shown = map[string]any{}
	if strings.TrimSpace(text) == "" {
		text = "{}"
	}
	var members map[string]any
	if json.Unmarshal([]byte(text), &members) != nil || members == nil {
		return nil, shown, errors.New("the arguments are no valid JSON object")
	}
	for name, value := range members {
		if content, ok := value.(string); ok && name == "content" {
			shown["bytes"] = len(content)
		}
		if short, err := json.Marshal(value); err == nil && len(short) <= 400 && slices.Contains(shownArguments, name) {
			shown[name] = value
		}
	}
	for _, name := range required {
		if value, ok := members[name]; !ok || value == nil {
			return nil, shown, fmt.Errorf("the argument %s is missing", name)
		}
	}
	return json.RawMessage(text), shown, nil
}

// limited cuts a text off and says so.
func limited(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return author.Clip(text, most) + "\n… cut off\n"
}
