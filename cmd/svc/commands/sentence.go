package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/client"
)

// nameAnother is what helps where the address is wrong.
const nameAnother = "name another with SVC_BASE_URL or --base-url"

// sentence says an error to a person: what is wrong and what to do about it, without
// the way that it took through the program. Of several errors each has its own line.
func sentence(err error) string {
	for part := err; part != nil; part = errors.Unwrap(part) {
		if lines := sentences(part); len(lines) > 1 {
			return strings.Replace(err.Error(), part.Error(), strings.Join(lines, "\n"), 1)
		}
	}
	var refused *client.Error
	var wrong *answers.Error
	var asked *url.Error
	var dial *net.OpError
	var path *fs.PathError
	switch {
	case errors.As(err, &refused):
		return refusal(refused)
	case errors.As(err, &wrong): // found here, before anything was sent
		return wrong.Message
	case errors.As(err, &asked) && errors.Is(err, http.ErrSchemeMismatch):
		site, _, _ := strings.Cut(asked.URL, "/v1/")
		return fmt.Sprintf("what answers at %s does not speak https: "+nameAnother, site)
	case errors.Is(err, client.ErrForeign):
		return err.Error() + ": " + nameAnother
	case errors.As(err, &asked) && errors.As(err, &dial) && dial.Op == "dial":
		site, _, _ := strings.Cut(asked.URL, "/v1/")
		return fmt.Sprintf("%s can't be reached (%v): is the service running? start it with make run, or "+nameAnother, site, dial.Err)
	case errors.As(err, &path):
		return strings.Replace(err.Error(), path.Error(), fmt.Sprintf("%s: %v", path.Path, path.Err), 1)
	}
	return err.Error()
}

// sentences says each of the errors that errors.Join made one of; nil for others.
func sentences(err error) (lines []string) {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	if joined := errors.Join(several.Unwrap()...); joined == nil || joined.Error() != err.Error() {
		return nil
	}
	for _, one := range several.Unwrap() {
		lines = append(lines, sentence(one))
	}
	return lines
}

// refusal says why the service refused a request. Its messages are sentences.
func refusal(e *client.Error) string {
	hint := map[int]string{
		http.StatusUnauthorized: " Give another key with SVC_API_KEY or --api-key-file.",
		http.StatusForbidden:    " List your projects with svc projects list.",
		http.StatusNotFound:     " Check the id, and name the job's project with -p.",
	}[e.StatusCode]
	if errors.Is(e, client.ErrForeign) {
		hint = " N" + nameAnother[1:] + "."
	}
	about := fmt.Sprint(e.StatusCode)
	if e.RequestID != "" {
		about += ", request " + e.RequestID
	}
	return fmt.Sprintf("%s%s (%s)", e.Message, hint, about)
}
