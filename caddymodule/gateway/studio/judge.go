package studio

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// playTimeout bounds how long an engine may follow a play.
const playTimeout = 5 * time.Minute

// check has the engine play the newest version in every way, without a model. The project's
// page says what is found.
func (s *Studio) check(x *exchange) error {
	return s.change(x, "Not checked: ", "?done=checking#versions", call{method: http.MethodPost, path: contract.PathCheck})
}

// mend has the engine mend what leaves no choice, without a model.
func (s *Studio) mend(x *exchange) error {
	return s.change(x, "Not mended: ", "?done=mended#versions", call{method: http.MethodPost, path: contract.PathMend})
}

// lock has jobs leave a file as it is, or no longer.
func (s *Studio) lock(x *exchange) error {
	if err := parse(x.r); err != nil {
		return err
	}
	name, method := x.r.PostFormValue("path"), http.MethodDelete
	if !api.CleanPath(name) {
		return badName()
	}
	if x.r.PostFormValue("lock") != "" {
		method = http.MethodPut
	}
	to := "?" + url.Values{"done": {"locked"}, "file": {name}}.Encode() + "#code"
	if method == http.MethodDelete {
		to = strings.Replace(to, "locked", "unlocked", 1)
	}
	return s.change(x, "Not locked: ", to, call{method: method, path: contract.PathLock, query: fileQuery(name, 0)})
}

// change asks the engine for something that a form without more to say asks for, and leads to
// a part of the project's page. refused begins what is said where it is refused.
func (s *Studio) change(x *exchange, refused, to string, c call) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	a, err := s.ask(x.r.Context(), x.owner(), c)
	if err == nil {
		err = a.refused()
	}
	switch {
	case err != nil && !x.json():
		return s.showRefused(x, refused, err)
	case err != nil:
		return err
	case x.json():
		return pass(x, a)
	}
	return x.redirect(x.at(to))
}

// kept is the answer to a play that was kept.
type kept struct {
	Path string `json:"path"`
	contract.Saved
}

// keepPlay keeps a play as a check of the game, if it holds when the engine follows it. The
// play is the game's word, which is hostile: of it only what a check has is taken.
func (s *Studio) keepPlay(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := parse(x.r); err != nil {
		return err
	}
	path, text, err := checkOf(x.r.PostFormValue("name"), x.r.PostFormValue("play"))
	if err != nil {
		return err
	}
	played, err := askFor[contract.Played](x.r.Context(), s, x.owner(), call{
		method: http.MethodPost, path: contract.PathPlay, body: text, timeout: playTimeout,
	})
	if err != nil {
		return err
	}
	if played.Against != "" {
		return &api.Error{Status: http.StatusUnprocessableEntity, Message: "When the engine played it again, it did not hold. " + played.Against}
	}
	a, err := s.ask(x.r.Context(), x.owner(), call{method: http.MethodPut, path: contract.PathFile, query: fileQuery(path, 0), body: text, header: precondition("")})
	if err == nil && a.status == http.StatusPreconditionFailed {
		return &api.Error{Status: a.status, Message: "There is a check of this name already: choose another name."}
	}
	if err == nil {
		err = a.refused()
	}
	if err != nil {
		return err
	}
	out := kept{Path: path}
	if err := json.Unmarshal(a.body, &out.Saved); err != nil {
		return api.Unavailable("The check may have been kept: look at the files.", time.Second, err)
	}
	return writeJSON(x, http.StatusOK, out)
}

// checkOf returns the file and the text of a check of a play.
func checkOf(name, play string) (path string, text []byte, err error) {
	var check struct {
		Name   string            `json:"name"`
		Seed   uint32            `json:"seed"`
		Frames int               `json:"frames"`
		Inputs []json.RawMessage `json:"inputs"`
		Expect json.RawMessage   `json:"expect"`
	}
	if err := json.Unmarshal([]byte(play), &check); err != nil || len(check.Inputs) == 0 || len(check.Expect) == 0 {
		return "", nil, api.BadRequest("Play the game first: what is kept is what was played since it was loaded.")
	}
	check.Name = clip(strings.Join(strings.Fields(name), " "), maxCheckName)
	file := strings.Trim(plain.ReplaceAllString(strings.ToLower(check.Name), "-"), "-.")
	if file == "" {
		return "", nil, api.BadRequest("The name of a check has letters or digits.")
	}
	text, err = json.MarshalIndent(check, "", "  ")
	return "checks/" + file + ".json", append(text, '\n'), err
}

// maxCheckName bounds the name of a check, in characters.
const maxCheckName = 60

// search answers with the lines of the game's files that hold a text.
func (s *Studio) search(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioRead); err != nil {
		return err
	}
	query := url.Values{"q": {x.r.URL.Query().Get("q")}}
	found, err := askFor[contract.Found](x.r.Context(), s, x.owner(), call{method: http.MethodGet, path: contract.PathSearch, query: query})
	if err != nil {
		return err
	}
	if x.json() {
		return writeJSON(x, http.StatusOK, found)
	}
	page := searchPage{Query: query.Get("q"), Found: found}
	project, err := s.Sidecar.Project(x.r.Context(), x.project())
	if err != nil {
		return err
	}
	page.projectPage.Project = project.Project
	s.render(x, http.StatusOK, "search", frame{User: x.who.UserID, Title: "Search in " + project.Name, Data: page})
	return nil
}

// searchPage is what a search found.
type searchPage struct {
	projectPage
	Query string
	Found contract.Found
}
