package gateway

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
)

// pollAfter is the hint, in seconds, how soon a status poll of an unfinished
// job may tell something new.
const pollAfter = "2"

// serveStatus answers GET …/status from the mirrored record.
func serveStatus(w http.ResponseWriter, r *http.Request, job *sidecar.Job) error {
	if !job.Status.Terminal() {
		w.Header().Set("Svc-Poll-After", pollAfter)
	}
	return serveRecord(w, r, job)
}

// serveRecord writes the job record with a weak ETag, or 304.
func serveRecord(w http.ResponseWriter, r *http.Request, job *sidecar.Job) error {
	encoded := job.Encoded
	if encoded == nil {
		var err error
		if encoded, err = api.EncodeJob(job.Job); err != nil {
			return err
		}
	}
	h := w.Header()
	values := []string{encoded.ETag, "private, no-cache", "application/json", strconv.Itoa(len(encoded.Body))}
	h["Etag"], h["Cache-Control"] = values[0:1:1], values[1:2:2]
	if r.Method != http.MethodDelete && matches(r.Header["If-None-Match"], encoded.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	h["Content-Type"], h["Content-Length"] = values[2:3:3], values[3:4:4]
	w.WriteHeader(http.StatusOK)
	_, err := w.Write(encoded.Body)
	return err
}

// matches compares weakly, as If-None-Match does.
func matches(headers []string, etag string) bool {
	bare := strings.TrimPrefix(etag, "W/")
	for _, line := range headers {
		for tag := range strings.SplitSeq(line, ",") {
			tag = strings.TrimSpace(tag)
			if tag == "*" || strings.TrimPrefix(tag, "W/") == bare {
				return true
			}
		}
	}
	return false
}
