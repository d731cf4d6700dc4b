package decisionlog

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/svc-games/svc/policy"
)

// Filter says which records are wanted: those that match every member that is set.
type Filter struct {
	Who     string // the id of a key or a user
	Project string // also one that is not there
	Action  policy.Action
	Rule    string
	Status  int // 0 for any
	Refused bool
	// RequestID, Revision: that of the policy, or how it begins.
	RequestID, Revision string
	Since, Until        time.Time // zero for no bound; Until itself is left out
}

// Match reports whether a record is wanted.
func (f Filter) Match(r Record) bool {
	return f.matchTime(r.Timestamp) && f.matchSubject(r) && f.matchResult(r) &&
		(f.RequestID == "" || f.RequestID == r.RequestID) &&
		(len(f.Revision) <= len(r.Revision()) && f.Revision == r.Revision()[:len(f.Revision)])
}

func (f Filter) matchTime(at time.Time) bool {
	return !at.Before(f.Since) && (f.Until.IsZero() || at.Before(f.Until))
}

func (f Filter) matchSubject(r Record) bool {
	key, user, project := r.Input.Key, r.Input.User, r.Input.Project
	return (f.Action == "" || f.Action == r.Input.Action) &&
		(f.Who == "" || key != nil && (f.Who == key.ID || f.Who == key.UserID) || user != nil && f.Who == user.ID) &&
		(f.Project == "" || f.Project == r.ProjectID || project != nil && f.Project == project.ID)
}

// matchResult takes a decision that was not made for what the client got, a 503.
func (f Filter) matchResult(r Record) bool {
	switch {
	case r.Result != nil:
		return (f.Rule == "" || f.Rule == r.Result.Rule && !r.hides("rule")) &&
			(f.Status == 0 || f.Status == r.Result.Status && !r.hides("status")) && (!f.Refused || !r.Result.Allow && !r.hides("allow"))
	case r.Error != nil:
		return f.Rule == "" && (f.Status == 0 || f.Status == http.StatusServiceUnavailable)
	}
	return f.Rule == "" && f.Status == 0 && !f.Refused
}

// hides reports whether the mask took out or replaced a member of the result.
func (r Record) hides(member string) bool {
	return slices.ContainsFunc(slices.Concat(r.Erased, r.Masked), func(path string) bool {
		path, err := url.PathUnescape(path)
		return err != nil || path == resultPath || path == resultPath+"/"+member
	})
}

// Selection is what Select found.
type Selection struct {
	Records []Record `json:"records"` // oldest first
	// Matched counts the records that match, also those before the last that are
	// wanted, and Decisions what they stand for.
	Matched   int   `json:"matched"`
	Decisions int64 `json:"decisions"`
	// Unreadable counts lines that are no records.
	Unreadable int `json:"unreadable"`
}

// Select returns the last records of a log that match, all for 0. A member that was
// masked away is not there, and matches nothing; nor does one of the result that was replaced.
func Select(log io.Reader, f Filter, last int) (Selection, error) {
	s := Selection{Records: []Record{}}
	for line, err := range Lines(log) {
		if err != nil {
			return s, err
		}
		r, err := show(line.Text)
		if err != nil {
			s.Unreadable++
			continue
		}
		if !f.Match(r) {
			continue
		}
		s.Matched++
		s.Decisions += max(1, r.Count)
		s.Records = append(s.Records, r)
		if last > 0 && len(s.Records) >= 2*last { // drops half at a time
			s.Records = append(s.Records[:0], s.Records[len(s.Records)-last:]...)
		}
	}
	if last > 0 && len(s.Records) > last {
		s.Records = s.Records[len(s.Records)-last:]
	}
	return s, nil
}

// show reads a record for people: what is masked in it is left out.
func show(line []byte) (Record, error) {
	var envelope struct {
		Record
		Input  json.RawMessage `json:"input"`
		Result json.RawMessage `json:"result"`
	}
	if err := json.Unmarshal(line, &envelope); err != nil {
		return Record{}, fmt.Errorf("decoding a decision: %w", err)
	}
	r := envelope.Record
	if r.DecisionID == "" {
		return Record{}, fmt.Errorf("decoding a decision: it has no id")
	}
	_ = json.Unmarshal(envelope.Input, &r.Input) // as much as fits: a mask can put anything there
	if len(envelope.Result) > 0 {
		r.Result = new(policy.Decision)
		_ = json.Unmarshal(envelope.Result, r.Result)
	}
	return r, nil
}

// Subject returns the key and the user that a record is about, "" for none.
func (r Record) Subject() (keyID, userID string) {
	if r.Input.Key == nil {
		if r.Input.User != nil {
			return "", r.Input.User.ID
		}
		return "", ""
	}
	return r.Input.Key.ID, r.Input.Key.UserID
}

// Project returns the id of the project that was asked for, "" for none.
func (r Record) Project() string {
	if r.Input.Project != nil {
		return r.Input.Project.ID
	}
	return r.ProjectID
}

// Outcome returns status and rule, or why there was no decision. What was masked away is
// "".
func (r Record) Outcome() (status, text string) {
	switch {
	case r.Result != nil && r.Result.Status == 0:
		return "", r.Result.Rule
	case r.Result != nil:
		return strconv.Itoa(r.Result.Status), r.Result.Rule
	case r.Error != nil:
		return strconv.Itoa(http.StatusServiceUnavailable), r.Error.Message
	}
	return "", ""
}
