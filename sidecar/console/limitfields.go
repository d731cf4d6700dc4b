package console

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/tables"
)

// limitFields are the four limits as they were typed; blank is unlimited.
type limitFields struct {
	JobsPerDay, JobsPerMonth, MaxConcurrentJobs, TIKPerMonth string
}

func readLimitFields(r *http.Request) limitFields {
	read := func(name string) string { return strings.TrimSpace(r.PostFormValue(name)) }
	return limitFields{
		JobsPerDay: read("jobsPerDay"), JobsPerMonth: read("jobsPerMonth"),
		MaxConcurrentJobs: read("maxConcurrentJobs"), TIKPerMonth: read("tikPerMonth"),
	}
}

// fieldsOf writes limits as a form has them.
func fieldsOf(l policy.Limits) limitFields {
	return limitFields{
		JobsPerDay: tables.Limit(l.JobsPerDay), JobsPerMonth: tables.Limit(l.JobsPerMonth),
		MaxConcurrentJobs: tables.Limit(l.MaxConcurrentJobs), TIKPerMonth: tables.Limit(l.TIKPerMonth),
	}
}

// parse returns the limits. What the numbers may be, package keys checks.
func (f limitFields) parse() (policy.Limits, error) {
	var l policy.Limits
	for _, field := range []struct {
		label, text string
		into        **int64
	}{
		{"Jobs per day", f.JobsPerDay, &l.JobsPerDay},
		{"Jobs per month", f.JobsPerMonth, &l.JobsPerMonth},
		{"Jobs at once", f.MaxConcurrentJobs, &l.MaxConcurrentJobs},
	} {
		if field.text == "" {
			continue
		}
		n, err := strconv.ParseInt(field.text, 10, 64)
		if err != nil || n < 0 {
			return policy.Limits{}, fmt.Errorf("%s can't be %q: want a whole number, or nothing for unlimited", field.label, field.text)
		}
		*field.into = &n
	}
	if f.TIKPerMonth != "" {
		tik, err := api.ParseTIK(f.TIKPerMonth)
		if err != nil {
			return policy.Limits{}, fmt.Errorf("TIK per month can't be %q: want a number with at most six places, or nothing for unlimited", f.TIKPerMonth)
		}
		l.TIKPerMonth = &tik
	}
	return l, nil
}

// sentence writes an error as people read it.
func sentence(err error) string {
	text := err.Error()
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}
