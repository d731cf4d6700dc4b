package puppets

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"sync"

	fakeprovider "github.com/svc-games/svc/test/fake/provider"
)

// Actor plays a script for a fake provider. Which step comes next it sees from the
// conversation: one that is begun again, or sent again, gets the same answers.
type Actor struct {
	Manner fakeprovider.Manner
	Bills  fakeprovider.Billing

	script []Step

	mu       sync.Mutex // guards what follows
	problems []string
	steps    int // the most that any conversation came to
}

// Act makes an actor of a script.
func Act(script []Step, manner fakeprovider.Manner) *Actor {
	return &Actor{script: script, Manner: manner}
}

// Problems are what results did not say that the script is written for.
func (a *Actor) Problems() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.problems)
}

// Steps is how many of the script's a conversation came to.
func (a *Actor) Steps() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.steps
}

// Finished reports whether a conversation came to the end of the script.
func (a *Actor) Finished() bool { return a.Steps() == len(a.script) }

// Answer answers with the next step.
func (a *Actor) Answer() fakeprovider.Answer {
	return func(p *fakeprovider.Provider, w http.ResponseWriter, r *http.Request, q fakeprovider.Request) {
		a.Bills.Bill(q, a.next(q)).Answer()(p, w, r, q)
	}
}

// callID is what the calls of a script are known by.
var callID = regexp.MustCompile(`"s(\d{3})_\d+"`)

func (a *Actor) next(q fakeprovider.Request) fakeprovider.Turn {
	list, _ := q.Body["messages"].([]any)
	if list == nil {
		list, _ = q.Body["input"].([]any)
	}
	n, last := 0, -1
	for i, m := range list {
		raw, err := json.Marshal(m)
		if err != nil {
			panic(err) // it was JSON
		}
		for _, id := range callID.FindAllSubmatch(raw, -1) {
			if at, err := strconv.Atoi(string(id[1])); err == nil && at+1 > n {
				n, last = at+1, i
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if n >= len(a.script) {
		a.problems = append(a.problems, "it is asked after its last step: "+said(list, last))
		return fakeprovider.Turn{Text: "That is all."}
	}
	a.steps = max(a.steps, n+1)
	step := a.script[n]
	if results := said(list, last); last >= 0 {
		for _, pattern := range step.After {
			if !regexp.MustCompile(pattern).MatchString(results) {
				a.problems = append(a.problems, fmt.Sprintf("step %d: %q is not in %s", n, pattern, results))
			}
		}
	}
	return step.turn(n, offered(q), a.Manner)
}

// said are the texts of a conversation from a message on.
func said(list []any, from int) string {
	var out string
	var add func(v any)
	add = func(v any) {
		switch v := v.(type) {
		case string:
			out += v + "\n"
		case []any:
			for _, e := range v {
				add(e)
			}
		case map[string]any:
			for name, e := range v {
				if name == "content" || name == "text" || name == "output" {
					add(e)
				}
			}
		}
	}
	for _, m := range list[max(0, from):] {
		add(m)
	}
	return out
}

// offered are the names of the tools that a request offers.
func offered(q fakeprovider.Request) []string {
	var names []string
	list, _ := q.Body["tools"].([]any)
	for _, t := range list {
		o, _ := t.(map[string]any)
		if f, ok := o["function"].(map[string]any); ok {
			o = f
		}
		name, _ := o["name"].(string)
		names = append(names, name)
	}
	return names
}
