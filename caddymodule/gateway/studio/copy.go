package studio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// origin is the project and the version of it that a new one is to be a copy of.
type origin struct {
	Project string
	Name    string
	Rev     int
}

// maxName bounds a project's name, in characters.
const maxName = 200

// duplicate makes a project that begins with the files of a version of this one. Its page
// copies them, as soon as its engine is ready.
func (s *Studio) duplicate(x *exchange) error {
	if err := parse(x.r); err != nil {
		return err
	}
	if err := s.may(x, x.project(), policy.ActionStudioRead); err != nil {
		return err
	}
	rev, err := strconv.Atoi(x.r.PostFormValue("rev"))
	if err != nil || rev < 1 {
		return answers.BadRequest("rev must be the number of a version.")
	}
	was, err := s.Sidecar.Project(x.r.Context(), x.project())
	if err != nil {
		return err
	}
	const mark = " (copy)"
	body, err := json.Marshal(map[string]string{"name": clip(was.Name, maxName-len(mark)) + mark, "template": "blank"})
	if err != nil {
		return err
	}
	header := http.Header{}
	if once := x.r.PostFormValue("once"); onceForm.MatchString(once) {
		header.Set("Idempotency-Key", once+"copy"+strconv.Itoa(rev))
	}
	a, err := s.v1(x.r.Context(), x, http.MethodPost, "/v1/projects", body, header)
	if err != nil {
		return s.showRefused(x, "Not copied: ", err)
	}
	var made api.ProjectCreated
	if err := json.Unmarshal(a.body, &made); err != nil {
		return answers.Unavailable("The project may have been made: look at the list.", time.Second, err)
	}
	from := url.Values{"from": {x.project()}, "rev": {strconv.Itoa(rev)}}
	x.r.SetPathValue("project", made.Data.ID)
	return x.redirect(x.at("?" + from.Encode()))
}

// loadOrigin says on the page of a new project what it is to be a copy of.
func (s *Studio) loadOrigin(x *exchange, page *projectPage) error {
	from := x.r.URL.Query().Get("from")
	rev, err := strconv.Atoi(x.r.URL.Query().Get("rev"))
	if from == "" || err != nil || rev < 1 || len(page.Workspace.Files) > 0 || len(page.Jobs) > 0 {
		return nil
	}
	if err := s.may(x, from, policy.ActionStudioRead); err != nil {
		return err
	}
	was, err := s.Sidecar.Project(x.r.Context(), from)
	if errors.Is(err, sidecar.ErrUnknownProject) {
		return unknownProject()
	}
	page.Origin = &origin{from, was.Name, rev}
	return err
}

// copyFrom copies the files of a version of another project into this one, which has none.
func (s *Studio) copyFrom(x *exchange) error {
	if err := parse(x.r); err != nil {
		return err
	}
	from := x.r.PostFormValue("from")
	rev, err := strconv.Atoi(x.r.PostFormValue("rev"))
	if err != nil || rev < 1 || from == "" {
		return answers.BadRequest("from must be a project, and rev the number of a version of it.")
	}
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := s.may(x, from, policy.ActionStudioRead); err != nil {
		return err
	}
	a, err := s.copied(x, from, rev)
	switch {
	case err != nil && x.json():
		return err
	case err != nil:
		refused := asError(err)
		page, err := s.load(x)
		if err != nil {
			return err
		}
		was, err := s.Sidecar.Project(x.r.Context(), from)
		if err != nil {
			return err
		}
		page.Origin, page.Error = &origin{from, was.Name, rev}, "Not copied yet: "+refused.Message
		return s.showProject(x, refused.Status, page)
	case x.json():
		return pass(x, a)
	}
	return x.redirect(x.at("?done=copied"))
}

func (s *Studio) copied(x *exchange, from string, rev int) (answer, error) {
	a, err := s.ask(x.r.Context(), x.ownerOf(from), call{method: http.MethodGet, path: fmt.Sprintf("%s/%d/project", contract.PathRevisions, rev)})
	if err == nil {
		err = a.refused()
	}
	if err != nil {
		return answer{}, err
	}
	if !bytes.HasPrefix(a.body, []byte("PK")) || len(a.body) > contract.MaxImport {
		return answer{}, answers.Unavailable("The project's engine gave no answer that can be used.", 0, nil)
	}
	a, err = s.ask(x.r.Context(), x.owner(), call{
		method: http.MethodPost, path: contract.PathImport, query: url.Values{"from": {from}}, body: a.body,
		header: http.Header{"Content-Type": {"application/zip"}},
	})
	if err == nil {
		err = a.refused()
	}
	return a, err
}

// Whose says what a copy is of.
func (o origin) Whose() string {
	if name := strings.TrimSpace(o.Name); name != "" {
		return name
	}
	return "another project"
}
