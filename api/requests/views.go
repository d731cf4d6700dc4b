package requests

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// ParsePublishRequest reads and checks the body of POST /v1/projects/{id}/publish. Its
// error is an *answers.Error with status 400.
func ParsePublishRequest(body []byte) (api.PublishRequest, error) {
	var req api.PublishRequest
	err := decodeObject(body, "", members{"jobId": text(&req.JobID, "jobId", 1, 64)})
	if err == nil && !api.ValidJobID(req.JobID) {
		err = answers.BadRequest("jobId must name a completed job of the project.")
	}
	if err != nil {
		return api.PublishRequest{}, err
	}
	return req, nil
}

// ParseDays reads how many days a view is to cover. Its error is an *answers.Error with
// status 400.
func ParseDays(text string) (int, error) {
	if text == "" {
		return api.DefaultOverviewDays, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > api.MaxOverviewDays {
		return 0, answers.BadRequest("days must be a number from 1 to %d.", api.MaxOverviewDays)
	}
	return n, nil
}

// ParseViewQuery reads the query of GET /v1/projects/{id}/analytics/{view}. Its error is
// an *answers.Error with status 400.
func ParseViewQuery(name string, values url.Values) (q api.ViewQuery, err error) {
	q = api.ViewQuery{
		Name: name, Day: values.Get("day"), After: values.Get("after"), Table: values.Get("table"), Format: values.Get("format"),
	}
	if q.Days, err = ParseDays(values.Get("days")); err != nil {
		return q, err
	}
	if q.Format == "" {
		q.Format = api.FormatJSON
	}
	if !slices.Contains([]string{api.FormatJSON, api.FormatCSV, api.FormatNDJSON}, q.Format) {
		return q, answers.BadRequest("format must be json, csv or ndjson.")
	}
	if q.Day != "" {
		if _, err := time.Parse(time.DateOnly, q.Day); err != nil {
			return q, answers.BadRequest("day must be a day like 2026-11-24.")
		}
	}
	if !validCursor(q.After) {
		return q, answers.BadRequest("after must be the nextCursor of a view.")
	}
	return q, nil
}

// validCursor reports whether a text is "" or 32 hexadecimal characters of a stream, a
// point and a number.
func validCursor(s string) bool {
	if s == "" {
		return true
	}
	if len(s) < 34 || s[32] != '.' {
		return false
	}
	n, err := strconv.ParseInt(s[33:], 10, 64)
	return err == nil && n >= 0
}

// TableOf returns a table of a view by name, the first one for "".
func TableOf(v api.View, name string) (api.ViewTable, error) {
	for _, t := range v.Tables {
		if name == "" || t.Name == name {
			return t, nil
		}
	}
	return api.ViewTable{}, answers.BadRequest("The view %s has no table %q.", v.View, name)
}
