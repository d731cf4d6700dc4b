package door_test

import (
	"go/token"
	"slices"
	"strings"
	"testing"
)

// consoleOf is a console with one handler and what the console decides by.
const consoleOf = `package console

func (c *Console) routes() { mux.Handle("POST /console/projects/{project}/publish", c.publish) }

func (c *Console) decide(ctx context.Context, userID, projectID string, action policy.Action) (policy.Decision, error) {
	return c.Access.DecideUser(ctx, policy.User{ID: userID}, projectID, action)
}

func (c *Console) allow(x *exchange, projectID string, action policy.Action) error {
	d, err := c.decide(x.r.Context(), x.user, projectID, action)
	if err == nil && !d.Allow {
		err = &failure{d.Status, d.Error}
	}
	return err
}

func (c *Console) publish(x *exchange) error {
	id := x.r.PathValue("project")
	`

// TestMistakesOfHandlersAreFound feeds the checks handlers that are wrong, one for each
// kind of mistake, and one that is right.
func TestMistakesOfHandlersAreFound(t *testing.T) {
	const (
		decided  = "if err := c.allow(x, id, policy.ActionPublish); err != nil { return err }\n"
		publish  = "_, err := c.Projects.Publish(x.r.Context(), id, \"job\")\nreturn err\n}"
		elsewise = "_, err := c.Projects.Publish(x.r.Context(), x.r.PostFormValue(\"project\"), \"job\")\nreturn err\n}"
	)
	for name, tc := range map[string]struct{ body, want string }{
		"right":                      {decided + publish, ""},
		"no decision":                {publish, "without a decision on Publish"},
		"a decision that is late":    {"_, err := c.Projects.Publish(x.r.Context(), id, \"job\")\n" + decided + "return err\n}", "without a decision"},
		"another project":            {decided + elsewise, "on something else"},
		"another action":             {strings.Replace(decided, "ActionPublish", "ActionGetProject", 1) + publish, "without a decision on Publish"},
		"on some ways alone":         {"if x.r.PostForm.Has(\"sure\") {\n" + decided + "}\n" + publish, "without a decision"},
		"in a loop that may be none": {"for range x.r.PostForm {\n" + decided + "}\n" + publish, "without a decision"},
		"not looked at":              {"c.allow(x, id, policy.ActionPublish)\n" + publish, "does not look at"},
		"thrown away":                {"_ = c.allow(x, id, policy.ActionPublish)\n" + publish, "does not look at"},
		"written over":               {"err := c.allow(x, id, policy.ActionPublish)\n" + strings.Replace(publish, ":=", "=", 1), "does not look at"},
		"what it allows not read": {
			"d, err := c.decide(x.r.Context(), x.user, id, policy.ActionPublish)\nif err != nil { return err }\nlog(d.Rule)\n" + publish, "does not look at",
		},
		"a read that is new":      {decided + "return c.Projects.Burn(x.r.Context(), id)\n}", "does not know"},
		"a session's that is new": {decided + "return c.Sessions.All(x.r.Context(), x.user)\n}", "does not know"},
		"a list as it was found":  {"list, err := c.Projects.Projects(x.r.Context(), x.user)\nreturn c.show(x, list, err)\n}", "is not decided on"},
	} {
		p := &parsed{set: token.NewFileSet()}
		p.add(t, name, consoleOf+tc.body)
		w := &walk{p: p, rules: consoleRules, in: []string{name}}
		for _, r := range registered(p) {
			w.serve(r.served)
		}
		found := slices.Concat(w.wrong, p.unused(decidesUser))
		for _, list := range w.undecidedLists("Projects.Projects") {
			found = append(found, "what "+list+" lists is not decided on")
		}
		if all := strings.Join(found, "; "); tc.want == "" && all != "" || !strings.Contains(all, tc.want) {
			t.Errorf("%s: found %q, want %q", name, all, tc.want)
		}
	}
}

// gatewayOf is a handler behind Access.
const gatewayOf = `package gateway

func (p *Projects) Serve(w http.ResponseWriter, r *http.Request, q *Request) error {
	switch q.Route.Action {
	case policy.ActionGetProject:
		`

// TestMistakesOfHandlersOfTheAPIAreFound: what Access decided on is no leave for more.
func TestMistakesOfHandlersOfTheAPIAreFound(t *testing.T) {
	for name, tc := range map[string]struct{ body, want string }{
		"right":           {"return p.Sidecar.Project(r.Context(), q.ProjectID)", ""},
		"another project": {"return p.Sidecar.Project(r.Context(), r.URL.Query().Get(\"of\"))", "did not decide on"},
		"another action":  {"return p.Sidecar.DeleteProject(r.Context(), q.ProjectID)", "for a request of GetProject"},
		"a list as it was found": {
			"page, err := p.Sidecar.Jobs(r.Context(), sidecar.JobQuery{ProjectID: q.ProjectID})\nreturn write(page, err)", "is not decided on",
		},
	} {
		p := &parsed{set: token.NewFileSet()}
		p.add(t, name, gatewayOf+tc.body+"\n}\nreturn nil\n}")
		w := &walk{p: p, rules: gatewayRules, in: []string{name}, decided: []decision{
			{"policy.ActionGetProject", requested}, {"policy.ActionDeleteProject", requested},
		}}
		w.enter(value{text: "Projects.Serve"})
		found := w.wrong
		for _, list := range w.undecidedLists("Sidecar.Jobs") {
			found = append(found, "what "+list+" lists is not decided on")
		}
		if all := strings.Join(found, "; "); tc.want == "" && all != "" || !strings.Contains(all, tc.want) {
			t.Errorf("%s: found %q, want %q", name, all, tc.want)
		}
	}
}
