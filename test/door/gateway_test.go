package door_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/svc-games/svc/caddymodule/gateway"
	"github.com/svc-games/svc/policy"
)

// requested is the project on which Access decided what a request asks for.
const requested = "q.ProjectID"

// gatewayNeeds are the methods with users' data, of what the gateway asks.
var gatewayNeeds = map[string]need{
	"Sidecar.Project":           needs(1, "GetProject"),
	"Sidecar.CreateProject":     needs(0, "CreateProject"),
	"Sidecar.CreateProjectOnce": needs(0, "CreateProject"),
	"Sidecar.Projects":          needs(0, "ListProjects"),
	"Sidecar.DeleteProject":     needs(1, "DeleteProject"),
	"Engines.Forget":            needs(1, "DeleteProject"),

	"Sidecar.Publish":          needs(1, "Publish"),
	"Sidecar.Unpublish":        needs(1, "Unpublish"),
	"Sidecar.Publication":      needs(1, "GetProject"),
	"Sidecar.RotatePlayKey":    needs(1, "Publish"),
	"Sidecar.PlaySettings":     needs(1, "GetProject"),
	"Sidecar.SetPlaySettings":  needs(1, "Publish"),
	"Sidecar.Experiments":      needs(1, "Analytics"),
	"Sidecar.ChangeExperiment": needs(1, "Publish"),
	"Sidecar.BoardRules":       needs(1, "Analytics"),
	"Sidecar.SetBoardRules":    needs(1, "Publish"),
	"Sidecar.Overview":         needs(1, "Analytics"),
	"Sidecar.View":             needs(1, "Analytics"),

	"Sidecar.Webhook":        needs(1, "ReadWebhooks"),
	"Sidecar.Deliveries":     needs(1, "ReadWebhooks"),
	"Sidecar.SetWebhook":     needs(1, "WriteWebhooks"),
	"Sidecar.DropWebhook":    needs(1, "WriteWebhooks"),
	"Sidecar.RotateWebhook":  needs(1, "WriteWebhooks"),
	"Sidecar.ReplayDelivery": needs(1, "WriteWebhooks"),

	"Sidecar.Jobs":        needs(1, "ListJobs", "ProjectJobs"),
	"Sidecar.Job":         needs(1, "Events"),
	"Sidecar.AwaitEnd":    needs(1, "Cancel"),
	"Sidecar.GrantStream": needs(3, "StreamToken"),
	"Engines.Files":       needs(1, "Files"),
	"Engines.Events":      needs(1, "Events"),
	"Engines.Cancel":      needs(1, "Cancel"),
	"Engines.Submit":      needs(1, "Generate"),
	"Sidecar.Reserve":     needs(1, "Generate"),
	"Engines.Fence":       needs(1, "Generate"),
	"Sidecar.Commit":      needs(0, "Generate"), // of the reservation, as the next two
	"Sidecar.Release":     needs(0, "Generate"),
	"Sidecar.Renew":       needs(0, "Generate"),
}

// gatewayOwn are the functions that reach data otherwise, and why that is so.
var gatewayOwn = map[string]string{
	"Access.findJob":     "finds out whose the job is, which Access.check then decides on",
	"Access.findReplay":  "after Access.check decided: TestEveryRequestOfTheAPIIsDecidedOn",
	"Access.mayPost":     "decides itself: TestWebhookOfAJobIsNoEnginesAndTakesItsPermission",
	"Console.serveJob":   "the console decided, and decides again: sidecar/console's Ended",
	"Models.List":        "the models that jobs may name are no user's data",
	"EngineEvents.Open":  "reads once for all readers of a job that Locator.events let in",
	"EngineEvents.Await": "as EngineEvents.Open",
}

var gatewayRules = rules{
	fields: []string{"Sidecar", "Engines"},
	opaque: "q",
	decide: func(_ *walk, source string, args []value) (decision, bool) {
		if source != "Sidecar.Decide" {
			return decision{}, false
		}
		return decision{args[3].text, args[2].text}, true
	},
	check: func(w *walk, r read) string {
		need, known := gatewayNeeds[r.source]
		switch {
		case strings.HasSuffix(r.source, ".*"):
			return ""
		case !known:
			return "which the test does not know: say what it needs"
		}
		if on := args(r, need); on != "" && on != requested && on != "q.Route.ProjectID" { // the job is of the project
			return "of " + on + ", which Access did not decide on"
		}
		for _, d := range w.decided {
			action, ok := strings.CutPrefix(d.action, "policy.Action")
			if ok && d.on == requested && !slices.Contains(need.actions, action) {
				return "for a request of " + action
			}
		}
		return ""
	},
	narrow: func(decided []decision, tag, equals string) (where, elsewhere []decision, ok bool) {
		actions := []string{equals}
		switch tag {
		case "q.Route.Action":
		case "q.Route.Part":
			actions = actionsOf(parts[equals])
		default:
			return nil, nil, false
		}
		for _, d := range decided {
			if d.on != requested || slices.Contains(actions, d.action) {
				where = append(where, d)
			} else {
				elsewhere = append(elsewhere, d)
			}
		}
		if tag == "q.Route.Part" { // which says nothing about the other parts
			elsewhere = decided
		}
		return where, elsewhere, true
	},
}

// args names the project of a read, "" where it needs none.
func args(r read, n need) string {
	if n.of == 0 {
		return ""
	}
	return projectOf(r.args[n.of])
}

// parts are the parts of a project, by the names that they have in the source.
var parts = map[string]string{
	"partPublish": "publish", "partSettings": "publish/settings", "partKey": "publish/key", "partExperiments": "experiments",
	"partBoard": "board", "partWebhook": "webhook", "partSecret": "webhook/secret", "partDeliveries": "webhook/deliveries",
	"partReplay": "webhook/replay",
}

// actionsOf are the actions of a part of a project, as they stand in the source.
func actionsOf(part string) (all []string) {
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		if route, refused := gateway.MatchRoute(method, "/v1/projects/p/"+part); refused == nil {
			all = append(all, inSource(route.Action))
		}
	}
	return all
}

// inSource is an action as the source names it.
func inSource(action policy.Action) string { return "policy.Action" + sourceNames[action] }

var sourceNames = map[policy.Action]string{
	policy.ActionCreateProject: "CreateProject", policy.ActionListProjects: "ListProjects", policy.ActionGetProject: "GetProject",
	policy.ActionDeleteProject: "DeleteProject", policy.ActionProjectJobs: "ProjectJobs", policy.ActionPublish: "Publish",
	policy.ActionUnpublish: "Unpublish", policy.ActionAnalytics: "Analytics", policy.ActionReadWebhooks: "ReadWebhooks",
	policy.ActionWriteWebhooks: "WriteWebhooks", policy.ActionStatus: "Status", policy.ActionEvents: "Events",
	policy.ActionStreamToken: "StreamToken", policy.ActionFiles: "Files", policy.ActionCancel: "Cancel",
	policy.ActionGenerate: "Generate", policy.ActionListJobs: "ListJobs", policy.ActionListModels: "ListModels",
}

// TestNoHandlerOfTheAPIReachesDataThatWasNotDecidedOn follows the calls of each handler
// behind Access. What they get is what the action of the request names, of its project.
func TestNoHandlerOfTheAPIReachesDataThatWasNotDecidedOn(t *testing.T) {
	p := parse(t, "caddymodule/gateway")
	seen, called := map[string]bool{}, map[string]bool{}
	for root, actions := range map[string][]policy.Action{
		"Projects.Serve": {
			policy.ActionCreateProject, policy.ActionListProjects, policy.ActionGetProject, policy.ActionDeleteProject, policy.ActionPublish,
			policy.ActionUnpublish, policy.ActionAnalytics, policy.ActionReadWebhooks, policy.ActionWriteWebhooks,
		},
		"Locator.Serve": {
			policy.ActionGenerate, policy.ActionStatus, policy.ActionEvents, policy.ActionFiles, policy.ActionCancel, policy.ActionListJobs,
			policy.ActionProjectJobs, policy.ActionStreamToken, policy.ActionListModels,
		},
		"Submitter.Serve": {policy.ActionGenerate}, // svc_quota passes on what is none
	} {
		w := &walk{p: p, rules: gatewayRules, in: []string{"a request of " + root}}
		for _, action := range actions {
			w.decided = append(w.decided, decision{inSource(action), requested})
		}
		w.enter(value{text: root})
		for _, wrong := range w.wrong {
			t.Errorf("%s: %s", root, wrong)
		}
		for _, list := range w.undecidedLists("Sidecar.Projects", "Sidecar.Jobs") {
			t.Errorf("%s: what %s lists is not decided on", root, list)
		}
		for _, read := range w.reads {
			seen[read.source], called[read.in] = true, true
		}
	}
	for source := range gatewayNeeds {
		if !seen[source] {
			t.Errorf("the test finds no way to %s", source)
		}
	}
	readers := p.readers(gatewayRules.fields)
	for _, in := range readers {
		if _, own := gatewayOwn[in]; !own && !called[in] {
			t.Errorf("the test finds no way to %s, which reads users' data", in)
		}
	}
	for in := range gatewayOwn {
		if !slices.Contains(readers, in) {
			t.Errorf("%s reads no data any more, and needs no reason why it may", in)
		}
	}
	for _, wrong := range p.unused(decidesKey) {
		t.Error(wrong)
	}
}

// TestEveryRequestOfTheAPIIsDecidedOn: Access decides on the action and the project of the
// request, before it repeats an answer, or lets the request through.
func TestEveryRequestOfTheAPIIsDecidedOn(t *testing.T) {
	p := parse(t, "caddymodule/gateway")
	rules := gatewayRules
	var before []string
	rules.check = func(w *walk, r read) string {
		if !slices.Contains(w.decided, decision{"q.Route.Action", requested}) {
			before = append(before, r.in+" "+r.source)
		}
		return ""
	}
	w := &walk{p: p, rules: rules, in: []string{"API"}}
	w.enter(value{text: "Access.Serve"})
	if !slices.Contains(w.made, decision{"q.Route.Action", requested}) {
		t.Errorf("decided on %v, not on the request", w.made)
	}
	if want := []string{"Access.findJob Sidecar.Job"}; !slices.Equal(before, want) {
		t.Errorf("before the decision: %q, want %q", before, want)
	}
}
