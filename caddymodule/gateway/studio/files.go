package studio

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// pictures are the kinds of files that a page may show from the console's own origin:
// none of them can hold a script.
var pictures = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
}

// sounds are the kinds of files that a page may play.
var sounds = map[string]string{".wav": "audio/wav", ".mp3": "audio/mpeg", ".ogg": "audio/ogg"}

// readFile answers with a file of the game: a picture as such, anything else as text
// that no browser takes for a page.
func (s *Studio) readFile(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioRead); err != nil {
		return err
	}
	name := x.r.URL.Query().Get("path")
	query, ok := queryOfLive(cmp.Or(x.r.URL.Query().Get("rev"), Now), name)
	if !ok {
		return badName()
	}
	a, err := s.ask(x.r.Context(), x.owner(), call{method: http.MethodGet, path: contract.PathFile, query: query})
	if err == nil {
		err = a.refused()
	}
	if err != nil {
		return err
	}
	h := x.Header()
	kind, picture := pictures[strings.ToLower(path.Ext(name))]
	found, media := kindOf(a.body)
	switch {
	case picture && strings.HasPrefix(http.DetectContentType(a.body), "image/"):
	case media && found.named(name) && sounds[strings.ToLower(path.Ext(name))] != "":
		kind = sounds[strings.ToLower(path.Ext(name))]
	case utf8.Valid(a.body):
		kind = "text/plain; charset=utf-8"
	default:
		kind = "application/octet-stream"
		h.Set("Content-Disposition", "attachment")
	}
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	h.Set("ETag", a.header.Get("ETag"))
	_, _ = x.Write(a.body) // a browser that went away is no error of ours
	return nil
}

// saveFile saves a file, or deletes it, if it still is what the editor began with.
func (s *Studio) saveFile(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	if err := parse(x.r); err != nil {
		return err
	}
	name, text := x.r.PostFormValue("path"), x.r.PostFormValue("text")
	was, remove := x.r.PostFormValue("sha256"), x.r.PostFormValue("delete") != ""
	text = strings.ReplaceAll(text, "\r\n", "\n") // as forms send it
	if !api.CleanPath(name) {
		return s.unsaved(x, &openFile{Path: name, Text: text, SHA256: was, New: was == ""}, badName())
	}
	if rev, _ := strconv.Atoi(x.r.PostFormValue("rev")); rev > 0 && !remove { // what is no number is none
		return s.takeBack(x, name, was, rev)
	}
	c := call{method: http.MethodPut, path: contract.PathFile, query: fileQuery(name, 0), body: []byte(text), header: precondition(was)}
	if remove {
		c.method, c.body = http.MethodDelete, nil
	}
	a, err := s.ask(x.r.Context(), x.owner(), c)
	if err == nil && a.status == http.StatusPreconditionFailed {
		return s.conflict(x, a, name, text)
	}
	if err == nil {
		err = a.refused()
	}
	if err != nil {
		return s.unsaved(x, &openFile{Path: name, Text: text, SHA256: was, New: was == ""}, err)
	}
	if x.json() {
		return pass(x, a)
	}
	say := "saved"
	if remove {
		say = "deleted"
	}
	return s.saved(x, a, name, say)
}

// takeBack saves a file as it was at a version, whatever it holds.
func (s *Studio) takeBack(x *exchange, name, was string, rev int) error {
	a, err := s.ask(x.r.Context(), x.owner(), call{method: http.MethodGet, path: contract.PathFile, query: fileQuery(name, rev)})
	if err == nil {
		err = a.refused()
	}
	if err != nil {
		return err
	}
	c := call{method: http.MethodPut, path: contract.PathFile, query: fileQuery(name, 0), body: a.body, header: precondition(was)}
	if a, err = s.ask(x.r.Context(), x.owner(), c); err != nil {
		return err
	}
	switch {
	case a.status == http.StatusPreconditionFailed:
		return &answers.Error{Status: a.status, Message: "The file was changed meanwhile: look at it, and take it back then."}
	case a.refused() != nil:
		return a.refused()
	case x.json():
		return pass(x, a)
	}
	return s.saved(x, a, name, "saved")
}

// precondition has a file saved only if it still is one with this sum, or is not there for
// none.
func precondition(was string) http.Header {
	if was == "" {
		return http.Header{"If-None-Match": {"*"}}
	}
	return http.Header{"If-Match": {`"` + was + `"`}}
}

// saved answers a form of which the file was saved, uploaded or deleted, as say names it,
// and says what is wrong with the game that is made of it.
func (s *Studio) saved(x *exchange, a answer, name, say string) error {
	var made contract.Saved
	if err := json.Unmarshal(a.body, &made); err != nil {
		return answers.Unavailable("The file may have been saved: look at it.", time.Second, err)
	}
	removed := say == "deleted"
	if made.Later {
		say = map[string]string{"uploaded": "uploadedLater"}[say]
		if say == "" {
			say = "later"
		}
	}
	if len(made.Problems) > 0 && !removed {
		page, err := s.load(x)
		if err != nil {
			return err
		}
		if page.File, err = s.open(x.r.Context(), x, page, name, 0); err != nil {
			return err
		}
		page.Done, page.File.Problems = done[say], made.Problems
		return s.showProject(x, http.StatusOK, page)
	}
	if removed {
		return x.redirect(x.at("?done=" + say + "#code"))
	}
	return x.redirect(x.at("?done=" + say + fileLink(name)))
}

// parse reads a form, or refuses one that did not arrive as a whole.
func parse(r *http.Request) error {
	err := r.ParseForm()
	if tooMany := (*http.MaxBytesError)(nil); errors.As(err, &tooMany) {
		return &answers.Error{Status: http.StatusRequestEntityTooLarge, Message: "That is more than the studio takes at once."}
	}
	if err != nil {
		return answers.BadRequest("The form did not arrive as a whole.")
	}
	return nil
}

// conflict shows a file that was saved meanwhile by somebody else: nothing of either
// text is lost.
func (s *Studio) conflict(x *exchange, a answer, name, text string) error {
	if x.json() {
		return pass(x, a)
	}
	var theirs contract.Conflict
	if err := json.Unmarshal(a.body, &theirs); err != nil {
		return err
	}
	page, err := s.load(x)
	if err != nil {
		return err
	}
	file := &openFile{Path: name, Text: text, SHA256: theirs.SHA256, New: theirs.SHA256 == ""}
	now, err := s.open(x.r.Context(), x, page, name, 0)
	if err == nil {
		file.Theirs, file.SHA256 = &now.Text, now.SHA256
	}
	page.File = file
	page.Error = "Not saved: the file was changed meanwhile. Compare the two texts; saving now replaces the other one, which stays among the versions."
	return s.showProject(x, http.StatusPreconditionFailed, page)
}

// unsaved answers that a text was not saved, which is still in the form.
func (s *Studio) unsaved(x *exchange, file *openFile, why error) error {
	refused := asError(why)
	if x.json() {
		return refused
	}
	page, err := s.load(x)
	if err != nil {
		return err
	}
	page.File, page.Error = file, "Not saved: "+refused.Message
	return s.showProject(x, refused.Status, page)
}

// pass hands an answer of JSON on.
func pass(x *exchange, a answer) error {
	x.Header().Set("Content-Type", "application/json")
	x.WriteHeader(a.status)
	_, _ = x.Write(a.body)
	return nil
}

func writeJSON(x *exchange, status int, body any) error {
	out, err := json.Marshal(body)
	if err != nil {
		return err
	}
	return pass(x, answer{status: status, body: append(out, '\n')})
}
