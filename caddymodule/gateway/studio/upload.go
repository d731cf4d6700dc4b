package studio

import (
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/policy"
)

// uploads is where a picture or a sound is put that nobody gave a place.
const uploads = "assets/"

// maxReading is how many uploads are unpacked at a time: a picture takes maxMemory for that.
const maxReading = 2

// upload saves a picture or a sound, in place of the one that the form names, or as a new
// file. What is stored is written anew, from what can be read of it.
func (s *Studio) upload(x *exchange) error {
	if err := s.may(x, x.project(), policy.ActionStudioWrite); err != nil {
		return err
	}
	name, was, file, err := s.uploaded(x.r)
	if err != nil {
		return s.notUploaded(x, err)
	}
	c := call{method: http.MethodPut, path: contract.PathFile, query: fileQuery(name, 0), body: file, header: precondition(was)}
	a, err := s.ask(x.r.Context(), x.owner(), c)
	if err == nil && a.status == http.StatusPreconditionFailed {
		message := "The file was changed meanwhile. Look at it, and replace it again."
		if was == "" {
			message = "There is such a file already. Open it to replace it."
		}
		err = &answers.Error{Status: http.StatusPreconditionFailed, Message: message}
	}
	if err == nil {
		err = a.refused()
	}
	if err != nil {
		return s.notUploaded(x, err)
	}
	if x.json() {
		return pass(x, a)
	}
	return s.saved(x, a, name, "uploaded")
}

// uploaded returns the name and the content of the file that a form brings, and the sum of
// the one that it is to replace.
func (s *Studio) uploaded(r *http.Request) (name, was string, file []byte, err error) {
	err = r.ParseMultipartForm(maxForm)
	if tooMany := (*http.MaxBytesError)(nil); errors.As(err, &tooMany) {
		return "", "", nil, tooLarge()
	}
	if err != nil {
		return "", "", nil, answers.BadRequest("The form did not arrive as a whole.")
	}
	sent, header, err := r.FormFile("file")
	if err != nil {
		return "", "", nil, answers.BadRequest("Choose a file first.")
	}
	defer sent.Close()
	if header.Size > contract.MaxEdit {
		return "", "", nil, tooLarge()
	}
	if file, err = io.ReadAll(io.LimitReader(sent, contract.MaxEdit)); err != nil {
		return "", "", nil, err
	}
	name, was = nameOfUpload(r.PostFormValue("path"), header), r.PostFormValue("sha256")
	if !api.CleanPath(name) {
		return name, was, nil, badName()
	}
	file, err = s.cleaned(r, name, file)
	return name, was, file, err
}

// cleaned returns what of an uploaded file is stored.
func (s *Studio) cleaned(r *http.Request, name string, file []byte) ([]byte, error) {
	kind, ok := kindOf(file)
	if !ok {
		return nil, &answers.Error{Status: http.StatusUnsupportedMediaType, Message: "Only PNG, JPEG and GIF pictures and WAV, MP3 and Ogg sounds can be uploaded."}
	}
	if !kind.named(name) {
		return nil, &answers.Error{Status: http.StatusUnprocessableEntity, Message: "The file is " + kind.what + ": its name must end with " + strings.Join(kind.names, " or ") + "."}
	}
	select {
	case s.uploads <- struct{}{}:
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
	defer func() { <-s.uploads }()
	out, err := kind.clean(file)
	switch {
	case errors.Is(err, errPixels), errors.Is(err, errFrames), errors.Is(err, errScans):
		return nil, &answers.Error{Status: http.StatusUnprocessableEntity, Message: "The picture can't be taken: " + err.Error() + "."}
	case err != nil:
		return nil, &answers.Error{Status: http.StatusUnprocessableEntity, Message: "The file begins like " + kind.what + ", but can't be read as one."}
	case len(out) > contract.MaxEdit:
		return nil, tooLarge()
	}
	return out, nil
}

func tooLarge() *answers.Error {
	return &answers.Error{Status: http.StatusRequestEntityTooLarge, Message: "A picture or sound may have 1 MiB: make it smaller and upload it again."}
}

// plain matches what the name of a file is not made of.
var plain = regexp.MustCompile(`[^a-z0-9._-]+`)

// nameOfUpload is where an upload is put: where the form says, or in the folder of pictures
// and sounds under the name that it had, made plain.
func nameOfUpload(typed string, header *multipart.FileHeader) string {
	if typed = strings.TrimSpace(typed); typed != "" {
		return typed
	}
	name := plain.ReplaceAllString(strings.ToLower(path.Base(strings.ReplaceAll(header.Filename, `\`, "/"))), "-")
	name = strings.TrimLeft(name, ".-")
	if !strings.Contains(name, ".") { // of the name nothing but its end could be kept
		name = "upload." + name
	}
	return uploads + name
}

// notUploaded answers that a file was not taken.
func (s *Studio) notUploaded(x *exchange, why error) error {
	refused := asError(why)
	if x.json() {
		return refused
	}
	page, err := s.load(x)
	if err != nil {
		return err
	}
	if form := x.r.MultipartForm; form != nil && x.r.PostFormValue("sha256") != "" && page.Engine.Ready {
		page.File, _ = s.open(x.r.Context(), x, page, x.r.PostFormValue("path"), 0) // beside the error nothing is missing
	}
	page.Error = "Not uploaded: " + refused.Message
	return s.showProject(x, refused.Status, page)
}

// fileLink is the address of the page that shows a file.
func fileLink(name string) string { return "&file=" + url.QueryEscape(name) + "#code" }
