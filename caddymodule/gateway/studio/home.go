package studio

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/site"
)

// homePage is the list of a user's projects.
type homePage struct {
	Projects []api.Project
	After    string
	Next     string
	Query    string
	Examples []string
	Name     string // as it was typed
	Prompt   string
	Error    string
}

// Pages reports whether there are more projects than on this page.
func (p homePage) Pages() bool { return p.After != "" || p.Next != "" }

// PageAt returns the address of the page after a project, "" for the first, of the same
// search.
func (p homePage) PageAt(after string) string {
	query := url.Values{}
	if p.Query != "" {
		query.Set("q", p.Query)
	}
	if after != "" {
		query.Set("after", after)
	}
	return (&url.URL{Path: site.StudioPath, RawQuery: query.Encode()}).String()
}

// projectsShown is how many projects a page has.
const projectsShown = 50

// examples are briefs that a click takes over.
var examples = []string{
	"A yellow duck flaps through gaps in a garden fence. One tap, one life, a score.",
	"Falling blocks in space, with levels that get faster and a high score table.",
	"A tower defence on a winter island, with three kinds of towers and a boss at the end.",
}

func (s *Studio) home(x *exchange) error {
	return s.showHome(x, http.StatusOK, homePage{Prompt: clip(x.r.URL.Query().Get("prompt"), maxExample)})
}

// maxExample bounds what an address puts into a form, in bytes.
const maxExample = 2000

func (s *Studio) showHome(x *exchange, status int, page homePage) error {
	if err := s.may(x, "", policy.ActionListProjects); err != nil {
		return err
	}
	query := x.r.URL.Query()
	page.After, page.Query, page.Examples = query.Get("after"), strings.TrimSpace(query.Get("q")), examples
	list, err := s.Sidecar.Projects(x.r.Context(), x.who.UserID, page.After, projectsShown)
	if err != nil {
		return err
	}
	page.Next = list.NextCursor
	// Of what others share there are those that open here.
	allowed, err := s.Projects.Allowed(x.r.Context(), x.who.KeyID, policy.ActionStudioRead, list.Data)
	if err != nil {
		return answers.Unavailable("Access can't be checked right now.", time.Second, err)
	}
	for _, p := range allowed {
		if page.Query == "" || strings.Contains(strings.ToLower(p.Name+" "+p.Description), strings.ToLower(page.Query)) {
			page.Projects = append(page.Projects, p)
		}
	}
	s.render(x, status, "home", frame{User: x.who.UserID, Title: "Studio", Data: page})
	return nil
}

// create makes a project and, where there is a brief, submits it.
func (s *Studio) create(x *exchange) error {
	if err := parse(x.r); err != nil {
		return err
	}
	page := homePage{Name: strings.TrimSpace(x.r.PostFormValue("name")), Prompt: strings.TrimSpace(x.r.PostFormValue("prompt"))}
	name := page.Name
	if name == "" {
		name = nameOf(page.Prompt)
	}
	body, err := json.Marshal(map[string]string{"name": name, "template": "blank"})
	if err != nil {
		return err
	}
	a, err := s.v1(x.r.Context(), x, http.MethodPost, "/v1/projects", body, nil)
	var refused *answers.Error
	if errors.As(err, &refused) && !x.json() && refused.Status < http.StatusInternalServerError {
		page.Error = refused.Message
		return s.showHome(x, refused.Status, page)
	}
	if err != nil {
		return err
	}
	var made api.ProjectCreated
	if err := json.Unmarshal(a.body, &made); err != nil {
		return answers.Unavailable("The project may have been made: look at the list.", time.Second, err)
	}
	x.r.SetPathValue("project", made.Data.ID)
	switch {
	case x.json():
		return pass(x, a)
	case page.Prompt == "":
		return x.redirect(x.at(""))
	}
	once := rand.Text()
	x.r.PostForm.Set("once", once)
	if a, err = s.send(x, briefOf(x.r.PostForm)); err != nil && len(page.Prompt) <= maxExample {
		// At an address of its own, which can be loaded again without a second project.
		query := url.Values{"prompt": {page.Prompt}, "unsent": {whyUnsent(err)}}
		if uncertain(asError(err)) {
			query.Set("once", once)
		}
		return x.redirect(x.at("?" + query.Encode()))
	}
	return s.sent(x, briefOf(x.r.PostForm), a, err)
}

// unsentBriefs are what the page of a new project says of a brief that was refused, named
// in its address.
var unsentBriefs = map[string]string{
	"starting":                 "The project's engine is starting. Send it again in a moment: nothing is lost.",
	"failed":                   "Not sent: the project's engine could not start. Nothing is lost: send it again in a moment.",
	"uncertain":                "It is not certain that the brief arrived. Send it again as it is: it becomes one job.",
	"refused":                  "The project was made, but its brief was refused. Send it again to see why.",
	api.LimitJobsPerDay:        "Not sent: your studio has used its jobs of this day. See the page API Keys.",
	api.LimitJobsPerMonth:      "Not sent: your studio has used its jobs of this month. See the page API Keys.",
	api.LimitMaxConcurrentJobs: "Not sent: your studio runs as many jobs as it may. Send it when one has ended.",
	api.LimitTIKPerMonth:       "Not sent: your studio has used its TIK of this month. See the page API Keys.",
}

// whyUnsent names why a brief was refused, as in unsentBriefs.
func whyUnsent(err error) string {
	refused := asError(err)
	switch {
	case failedToStart(refused):
		return "failed"
	case refused.Starting:
		return "starting"
	case uncertain(refused):
		return "uncertain"
	case unsentBriefs[refused.Limit] != "":
		return refused.Limit
	}
	return "refused"
}

// maxGenerated bounds a name that is made of a brief, in characters.
const maxGenerated = 48

// nameOf makes a project's name of its brief.
func nameOf(prompt string) string {
	name, _, _ := strings.Cut(strings.Join(strings.Fields(prompt), " "), ".")
	if name == "" {
		return "New game"
	}
	return clip(name, maxGenerated)
}

// clip shortens a text to so many characters.
func clip(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// exampleLink is the address of the form with a brief in it.
func exampleLink(prompt string) string {
	return site.StudioPath + "?prompt=" + url.QueryEscape(prompt)
}
