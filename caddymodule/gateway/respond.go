package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar"
)

// writeJSON answers with body, which no cache may keep.
func writeJSON(w http.ResponseWriter, status int, body any) error {
	out, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, err = w.Write(append(out, '\n'))
	return err
}

// headerReplayed marks the answer to a request that was done before.
const headerReplayed = "Idempotent-Replayed"

// writeReplay answers a submission that was made before, from the job's row.
func writeReplay(w http.ResponseWriter, job *sidecar.Job) error {
	w.Header().Set(headerReplayed, "true")
	return writeJSON(w, http.StatusOK, api.Submission{
		JobID:     job.JobID,
		ProjectID: job.ProjectID,
		Status:    job.Status,
		SessionID: job.SessionID,
	})
}

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
		if encoded, err = answers.EncodeJob(job.Job); err != nil {
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

// setRateLimit sets RateLimit-Policy and RateLimit on the answer to an
// admitted submission: an item for each limit that the key has, with what is
// left of it (r) and when it resets (t, in seconds). The names are those of the
// 429. Form: draft-ietf-httpapi-ratelimit-headers.
func setRateLimit(h http.Header, limits policy.Limits, used policy.Usage, now time.Time) {
	var policies, states []string
	item := func(name string, quota, left int64, unit string, resets time.Time) {
		p := fmt.Sprintf("%q;q=%d", name, quota)
		if unit != "" {
			p += fmt.Sprintf(";qu=%q", unit)
		}
		s := fmt.Sprintf("%q;r=%d", name, max(left, 0))
		if !resets.IsZero() {
			s += fmt.Sprintf(";t=%d", int64(resets.Sub(now)/time.Second))
		}
		policies, states = append(policies, p), append(states, s)
	}
	if l := limits.JobsPerDay; l != nil {
		item(api.LimitJobsPerDay, *l, *l-used.JobsToday, "", answers.DayEnd(now))
	}
	if l := limits.JobsPerMonth; l != nil {
		item(api.LimitJobsPerMonth, *l, *l-used.JobsThisMonth, "", answers.MonthEnd(now))
	}
	if l := limits.MaxConcurrentJobs; l != nil {
		item(api.LimitMaxConcurrentJobs, *l, *l-used.RunningJobs, "concurrent-requests", time.Time{})
	}
	if l := limits.TIKPerMonth; l != nil {
		// Whole TIK, rounded down: a structured field's integer has no places.
		item(api.LimitTIKPerMonth, int64(*l/api.MicroPerTIK), int64((*l-used.TIKThisMonth)/api.MicroPerTIK), "tik", answers.MonthEnd(now))
	}
	if len(policies) == 0 {
		return
	}
	h.Set("RateLimit-Policy", strings.Join(policies, ", "))
	h.Set("RateLimit", strings.Join(states, ", "))
}
