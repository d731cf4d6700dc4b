package studio

import (
	"net/http"
	"net/url"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// searchPage is what a search found.
type searchPage struct {
	projectPage
	Query string
	Found contract.Found
}

// search answers with the lines of the game's files that hold a text.
func (s *Studio) search(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioRead); err != nil {
		return err
	}
	page := searchPage{Query: x.r.URL.Query().Get("q")}
	a, err := s.ask(x.r.Context(), x.owner(), call{method: http.MethodGet, path: contract.PathSearch, query: url.Values{"q": {page.Query}}})
	if err == nil && a.status == http.StatusNotFound {
		err = &answers.Error{Status: a.status, Message: "This project's engine can't search its files."}
	}
	if err == nil {
		page.Found, err = decode[contract.Found](a)
	}
	switch {
	case err != nil && !x.json():
		return s.showRefused(x, "Not searched: ", err)
	case err != nil:
		return err
	case x.json():
		return writeJSON(x, http.StatusOK, page.Found)
	}
	project, err := s.Sidecar.Project(x.r.Context(), x.project())
	if err != nil {
		return err
	}
	page.Project = project.Project
	s.render(x, http.StatusOK, "search", frame{User: x.who.UserID, Title: "Search in " + page.Project.Name, Data: page})
	return nil
}
