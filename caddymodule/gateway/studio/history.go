package studio

import (
	"bytes"
	"encoding/json"
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
)

// restore takes the project back to a version, which makes a new one.
func (s *Studio) restore(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := parse(x.r); err != nil {
		return err
	}
	rev, err := strconv.Atoi(x.r.PostFormValue("rev"))
	head, errHead := strconv.Atoi(x.r.PostFormValue("head"))
	if err != nil || errHead != nil {
		return answers.BadRequest("rev and head must be numbers of versions.")
	}
	body, err := json.Marshal(contract.RestoreRequest{Rev: rev, Head: head})
	if err != nil {
		return err
	}
	a, err := s.ask(x.r.Context(), x.owner(), call{method: http.MethodPost, path: contract.PathRestore, body: body})
	if err == nil && a.status == http.StatusConflict {
		err = s.between(x, head, a.refused())
	}
	return s.changed(x, "Not restored: ", "?done=restored#versions", a, err)
}

// maxNamed bounds the versions that a refusal names.
const maxNamed = 5

// between is a refusal that names the versions that came after a head, if there are any.
func (s *Studio) between(x *exchange, head int, refused error) error {
	list, err := askFor[contract.Revisions](x.r.Context(), s, x.owner(), call{method: http.MethodGet, path: contract.PathRevisions})
	var came []string
	for _, r := range list.Revisions {
		if r.ID > head && r.Kind != "draft" {
			came = append(came, fmt.Sprintf("r%d (%s)", r.ID, r.Message))
		}
	}
	if err != nil || len(came) == 0 {
		return refused
	}
	if len(came) > maxNamed {
		came = append(came[:maxNamed], "others")
	}
	return &answers.Error{Status: http.StatusConflict, Message: "There came meanwhile: " + strings.Join(came, ", ") + ". Look at that, and try again."}
}

// How long a version is kept: one that is about to be shared, a day longer than any share
// lasts, and one that somebody wants to have.
const (
	keptShared = 31 * 24 * time.Hour
	keptAsked  = 10 * 365 * 24 * time.Hour
)

// keep has the history of a project keep a version, however many follow, or no longer. On the
// way to a share it leads there: an engine that keeps none shares as long as it has it.
func (s *Studio) keep(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := parse(x.r); err != nil {
		return err
	}
	rev, err := strconv.Atoi(x.r.PostFormValue("rev"))
	if err != nil || rev < 1 {
		return answers.BadRequest("rev must be the number of a version.")
	}
	var req contract.KeepRequest
	say := "let"
	switch x.r.PostFormValue("keep") {
	case "share":
		req.Until = time.Now().Add(keptShared)
	case "yes":
		req.Until, say = time.Now().Add(keptAsked), "kept"
	}
	body, err := json.Marshal(req)
	if err != nil {
		return err
	}
	c := call{method: http.MethodPost, path: fmt.Sprintf("%s/%d/keep", contract.PathRevisions, rev), body: body}
	if x.r.PostFormValue("keep") != "share" {
		return s.change(x, "Not kept: ", "?done="+say+"#versions", c)
	}
	a, err := s.ask(x.r.Context(), x.owner(), c)
	if err == nil && a.status != http.StatusNotFound {
		err = a.refused()
	}
	if err != nil {
		return s.showRefused(x, "Not shared: ", err)
	}
	return x.redirect(fmt.Sprintf("/console/projects/%s/share?rev=%d", x.project(), rev))
}

// check has the engine play the newest version, without a model. The project's page says what
// is found.
func (s *Studio) check(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	return s.change(x, "Not played: ", "#versions", call{method: http.MethodPost, path: contract.PathCheck})
}

// mend has the engine mend what leaves no choice, without a model.
func (s *Studio) mend(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	return s.change(x, "Not mended: ", "?done=mended#versions", call{method: http.MethodPost, path: contract.PathMend})
}

// zip answers with the game as it was at a version.
func (s *Studio) zip(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioRead); err != nil {
		return err
	}
	rev, err := strconv.Atoi(x.r.URL.Query().Get("rev"))
	if err != nil || rev < 1 {
		return answers.BadRequest("rev must be the number of a version.")
	}
	a, err := s.ask(x.r.Context(), x.owner(), call{method: http.MethodGet, path: fmt.Sprintf("%s/%d/zip", contract.PathRevisions, rev)})
	if err == nil {
		err = a.refused()
	}
	if err != nil {
		return err
	}
	if !bytes.HasPrefix(a.body, []byte("PK")) {
		return answers.Unavailable("The project's engine gave no answer that can be used.", 0, nil)
	}
	x.Header().Set("Content-Type", "application/zip")
	x.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="game-r%d.zip"`, rev))
	_, _ = x.Write(a.body)
	return nil
}

// diffPage is how two versions of the game differ.
type diffPage struct {
	Project  api.Project
	From, To int // To is 0 for the present
	Files    []diffOf
}

// diffOf is one file with the lines of its diff.
type diffOf struct {
	contract.FileDiff
	Lines []diffLine
}

// diffLine is a line of a diff; Kind is add, del, at or none.
type diffLine struct{ Kind, Text string }

// At returns the address of a part of the project's page.
func (p diffPage) At(rest string) string { return projectPage{Project: p.Project}.At(rest) }

// FileAt returns the address of a file as it was at the older version.
func (p diffPage) FileAt(name string) string {
	return p.At("?" + url.Values{"file": {name}, "rev": {strconv.Itoa(p.From)}}.Encode() + "#code")
}

// maxLines bounds what a page shows of one file's diff.
const maxLines = 2000

func linesOf(text string) []diffLine {
	var out []diffLine
	for line := range strings.Lines(text) {
		if len(out) == maxLines {
			return append(out, diffLine{"at", "…"})
		}
		kind := map[byte]string{'+': "add", '-': "del", '@': "at"}[line[0]]
		out = append(out, diffLine{kind, strings.TrimRight(line, "\n")})
	}
	return out
}

// diff shows how a version differs from another, or from the present.
func (s *Studio) diff(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioRead); err != nil {
		return err
	}
	query := url.Values{}
	page := diffPage{}
	for name, into := range map[string]*int{"from": &page.From, "to": &page.To} {
		text := x.r.URL.Query().Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return answers.BadRequest("from and to must be numbers of versions.")
		}
		*into = n
		query.Set(name, text)
	}
	found, err := askFor[contract.Diff](x.r.Context(), s, x.owner(), call{method: http.MethodGet, path: contract.PathDiff, query: query})
	if err != nil {
		return err
	}
	if x.json() {
		return writeJSON(x, http.StatusOK, found)
	}
	project, err := s.Sidecar.Project(x.r.Context(), x.project())
	if err != nil {
		return err
	}
	page.Project = project.Project
	for _, f := range found.Files {
		page.Files = append(page.Files, diffOf{f, linesOf(f.Text)})
	}
	s.render(x, http.StatusOK, "diff", frame{User: x.who.UserID, Title: "Changes of " + page.Project.Name, Data: page})
	return nil
}

// showRefused shows the project's page with why something was refused, after what that
// means for the project.
func (s *Studio) showRefused(x *exchange, means string, why error) error {
	page, err := s.load(x)
	if err != nil {
		return err
	}
	refused := asError(why)
	page.Error = means + refused.Message
	return s.showProject(x, refused.Status, page)
}
