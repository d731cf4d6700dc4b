package door_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// open are the console's addresses that ask for no decision, or ask for their own, and
// why.
var open = map[string]string{
	"GET /console/{$}":                "leads to the list of keys",
	"GET /console/static/{name}":      "our own files",
	"GET /console/login":              "a form",
	"POST /console/login":             "decides itself once it knows who the link is for",
	"GET /console/oidc/start":         "leads to the provider",
	"GET /console/oidc/callback":      "decides itself once it knows who signed in",
	"POST /console/logout":            "whoever came in may leave",
	"POST /console/logout-everywhere": "whoever came in may leave",
	"/console/":                       "there is no such page",
	"GET /{code}/{path...}":           "a preview, which decides itself",
}

// leading are the handlers that read nothing: each leads to another page.
var leading = []string{"toFormOf", "toOverview"}

// need is what a read needs: a decision on one of some actions, on the project that an
// argument names, or on none.
type need struct {
	of      int // the argument, counted without the context; 0 for no project
	actions []string
}

// noProject is what a decision is on that is on no project.
const noProject = `""`

func needs(of int, actions ...string) need { return need{of, actions} }

// bySecret are the methods of Sessions that open nothing but by its secrets, or are about the
// session itself.
var bySecret = []string{
	"Sessions.Begin", "Sessions.End", "Sessions.EndAll", "Sessions.Ended", "Sessions.Find", "Sessions.KeepPreviews", "Sessions.LinkedUser",
	"Sessions.Named", "Sessions.Preview", "Sessions.SignIn", "Sessions.UseForm",
}

// consoleNeeds are the methods with users' data, of the console's fields.
var consoleNeeds = map[string]need{
	"Keys.Keys":         needs(0, "ReadKeys", "ChangeKey", "ReadOthersKeys"),
	"Keys.User":         needs(0, "ReadKeys", "CreateKey", "ReadOthersKeys"),
	"Keys.Daily":        needs(0, "ReadKeys", "ChangeKey", "ReadOthersKeys"),
	"Keys.Usage":        needs(0, "ReadKeys", "ChangeKey", "ReadOthersKeys"),
	"Keys.Audit":        needs(0, "ReadKeys", "ChangeKey"),
	"Keys.Statement":    needs(0, "ReadKeys"),
	"Keys.Key":          needs(0, "ReadKeys", "ChangeKey"),
	"Keys.CreateWith":   needs(0, "CreateKey"),
	"Keys.CreateStudio": needs(0, "CreateKey"),
	"Keys.Studio":       needs(0, "ReadConsole"), // the id alone, for the gateway to decide by
	"Keys.Rename":       needs(0, "ChangeKey"),
	"Keys.SetLimits":    needs(0, "ChangeKey"),
	"Keys.*":            needs(0, "ChangeKey"), // handed to what changes a key's state

	"Projects.Projects":      needs(0, "ListProjects"),
	"Projects.Details":       needs(1, "GetProject"),
	"Projects.SetAttributes": needs(1, "SetAttributes"),
	"Projects.Publication":   needs(1, "GetProject"),
	"Projects.Publish":       needs(1, "Publish"),
	"Projects.Unpublish":     needs(1, "Unpublish"),
	"Ledger.ProjectJobs":     needs(1, "GetProject"),
	"Ledger.GameAccount":     needs(1, "GetProject"),
	"Games.PlaySettings":     needs(1, "GetProject"),
	"Games.SetPlaySettings":  needs(1, "Publish"),
	"Games.RotatePlayKey":    needs(1, "Publish"),

	"Webhooks.Webhook":        needs(1, "ReadWebhooks"),
	"Webhooks.Deliveries":     needs(1, "ReadWebhooks"),
	"Webhooks.ReplayDelivery": needs(1, "WriteWebhooks"),

	"View":                    needs(1, "Analytics"),
	"Played":                  needs(0, "ReadConsole"), // opens the log of all games
	"Played.BoardRules":       needs(1, "Analytics", "Publish"),
	"Played.SetBoardRules":    needs(1, "Publish"),
	"Played.Experiments":      needs(1, "Analytics"),
	"Played.ChangeExperiment": needs(1, "Publish"),

	"Sessions.NewPreview": needs(2, "Preview"),
	"Sessions.NewShare":   needs(2, "Publish"),
	"Sessions.Shares":     needs(2, "GetProject"),
	"Sessions.EndShare":   needs(2, "GetProject"),
}

// lookUps are the functions that find out whose a job is before they decide on its project.
var lookUps = map[string]string{"Console.job": "Ledger.Job", "Console.previewed": "Ledger.Job"}

var consoleRules = rules{
	fields:  []string{"Keys", "Projects", "Ledger", "Games", "Played", "View", "Sessions", "Webhooks"},
	openers: []string{"Played"},
	decide: func(_ *walk, source string, args []value) (decision, bool) {
		switch {
		case source == "Access.DecideUser" && len(args) == 4:
			return decision{args[3].text, args[2].text}, true
		case source == "Access.DecideOnKey" && len(args) == 4:
			return decision{args[3].text, noProject}, true
		case source == "Access.DecideAbout" && len(args) == 5:
			return decision{args[4].text, args[3].text}, true
		}
		return decision{}, false
	},
	check: func(w *walk, r read) string {
		if lookUps[r.in] == r.source {
			return ""
		}
		need, known := consoleNeeds[r.source]
		switch {
		case !known && slices.Contains(bySecret, r.source):
			return ""
		case !known:
			return "which the test does not know: say what it needs"
		}
		return w.lacks(need, r.args)
	},
}

// lacks says which decision is not there, "" for none.
func (w *walk) lacks(n need, args []value) string {
	on := noProject
	if n.of > 0 {
		on = projectOf(args[n.of])
	}
	elsewhere := false
	for _, d := range w.decided {
		if !slices.Contains(n.actions, strings.TrimPrefix(d.action, "policy.Action")) {
			continue
		}
		if d.on == on {
			return ""
		}
		elsewhere = true
	}
	if elsewhere {
		return "after a decision on something else than " + on
	}
	return "without a decision on " + strings.Join(n.actions, " or ") + " of " + on
}

// projectOf names the project that a value stands for: that of a job, of a change, or of
// the subject of a preview.
func projectOf(v value) string {
	for _, name := range []string{"ProjectID", "ID"} {
		if m, ok := v.members[name]; ok {
			return m.text
		}
	}
	text := strings.TrimPrefix(v.text, "livePrefix + ")
	if job, ok := strings.CutSuffix(text, ".JobID"); ok {
		return job + ".ProjectID"
	}
	return text
}

func decidesUser(call *ast.CallExpr) bool {
	to, ok := call.Fun.(*ast.SelectorExpr)
	return ok && slices.Contains([]string{"DecideUser", "DecideOnKey", "DecideAbout"}, to.Sel.Name)
}

func TestEveryAddressOfTheConsoleAsksForADecision(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range registered(parse(t, "sidecar/console")) {
		seen[r.pattern] = true
		if _, exempt := open[r.pattern]; exempt || slices.Contains(leading, strings.SplitN(r.handler, "(", 2)[0]) {
			continue
		}
		if !strings.HasPrefix(r.handler, "c.allowed(") {
			t.Errorf("%s is served by %s, without c.allowed", r.pattern, r.handler)
		}
	}
	for pattern := range open {
		if !seen[pattern] {
			t.Errorf("%s is served no longer", pattern)
		}
	}
}

// TestNoHandlerOfTheConsoleReachesDataWithoutADecision follows the calls from what is
// served to what reads or writes.
func TestNoHandlerOfTheConsoleReachesDataWithoutADecision(t *testing.T) {
	p := parse(t, "sidecar/console")
	seen, called := map[string]bool{}, map[string]bool{}
	for _, r := range registered(p) {
		w := &walk{p: p, rules: consoleRules, in: []string{r.pattern}}
		w.serve(r.served)
		for _, wrong := range w.wrong {
			t.Errorf("%s: %s", r.pattern, wrong)
		}
		for _, list := range w.undecidedLists("Projects.Projects") {
			t.Errorf("%s: what %s lists is not decided on", r.pattern, list)
		}
		for _, read := range w.reads {
			seen[read.source], called[read.in] = true, true
		}
	}
	for source := range consoleNeeds {
		if !seen[source] {
			t.Errorf("the test finds no way to %s", source)
		}
	}
	for _, in := range p.readers(consoleRules.fields) {
		if !called[in] && in != "Console.Ended" { // of streams, which TestStreamEndsWhenThePolicyForbidsIt has
			t.Errorf("the test finds no way to %s, which reads users' data", in)
		}
	}
	for _, wrong := range p.unused(decidesUser) {
		t.Error(wrong)
	}
}
