package requests

import (
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// maxOrigin is how many characters an origin may have.
const maxOrigin = 200

// ParsePlayChange reads and checks the body of POST /v1/projects/{id}/publish/settings.
// Its error is an *answers.Error with status 400.
func ParsePlayChange(body []byte) (api.PlayChange, error) {
	var change api.PlayChange
	err := decodeObject(body, "", members{
		"origins": func(raw json.RawMessage) error {
			origins := []string{}
			change.Origins = &origins
			return decodeArray(raw, "origins", api.MaxOrigins, func(i int, raw json.RawMessage) error {
				var origin string
				at := "origins[" + strconv.Itoa(i) + "]"
				err := text(&origin, at, 1, maxOrigin)(raw)
				if err == nil {
					origin, err = ParseOrigin(origin)
				}
				origins = append(origins, origin)
				return err
			})
		},
		"tikPerMonth": func(raw json.RawMessage) error {
			var most api.TIK
			if err := json.Unmarshal(raw, &most); err != nil || most < 0 {
				return answers.BadRequest("tikPerMonth must be a number from 0, with at most six places.")
			}
			change.TIKPerMonth = &most
			return nil
		},
		"askConsent": boolean(&change.AskConsent, "askConsent"),
	})
	if err != nil {
		return api.PlayChange{}, err
	}
	return change, nil
}

// ParseOrigin returns an origin as browsers write it. Its error is an *answers.Error with status
// 400.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(strings.ToLower(strings.TrimSuffix(text, "/")))
	printable := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`;,'"*`, r) }) < 0
	if err != nil || !printable || len(text) > maxOrigin || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#") {
		return "", answers.BadRequest("%q is not an origin like https://example.com, in ASCII.", text)
	}
	if u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
		u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	return u.Scheme + "://" + u.Host, nil
}

// ParseRotateRequest reads and checks the body of POST /v1/projects/{id}/publish/key: for
// how long the key before goes on. Its error is an *answers.Error with status 400.
func ParseRotateRequest(body []byte) (keep time.Duration, err error) {
	days := api.DefaultKeepDays
	if len(body) > 0 {
		err = decodeObject(body, "", members{
			"keepDays": value("keepDays", "a number", func(n float64) error {
				if n != math.Trunc(n) || n < 0 || n > api.MaxKeepDays {
					return answers.BadRequest("keepDays must be a whole number from 0 to %d.", api.MaxKeepDays)
				}
				days = int(n)
				return nil
			}),
		})
	}
	return time.Duration(days) * 24 * time.Hour, err
}

// Bounds of an experiment.
const (
	maxValues = 5
	maxValue  = 40 // characters
)

// ParseExperimentChange reads and checks the body of POST /v1/projects/{id}/experiments.
// Its error is an *answers.Error with status 400.
func ParseExperimentChange(body []byte) (api.ExperimentChange, error) {
	change := api.ExperimentChange{State: api.ExperimentDraft}
	err := decodeObject(body, "", members{
		"id":     text(&change.ID, "id", 1, maxValue),
		"state":  oneOf(&change.State, "state", api.ExperimentDraft, api.ExperimentRunning, api.ExperimentStopped, api.ExperimentWinner, api.ExperimentRemoved),
		"winner": text(&change.Winner, "winner", 1, maxValue),
		"values": func(raw json.RawMessage) error {
			return decodeArray(raw, "values", maxValues, func(i int, raw json.RawMessage) error {
				var v string
				err := text(&v, "values["+strconv.Itoa(i)+"]", 1, maxValue)(raw)
				change.Values = append(change.Values, v)
				return err
			})
		},
		"percents": func(raw json.RawMessage) error {
			return decodeArray(raw, "percents", maxValues, func(i int, raw json.RawMessage) error {
				return value("percents["+strconv.Itoa(i)+"]", "a number", func(n float64) error {
					change.Percents = append(change.Percents, n)
					return nil
				})(raw)
			})
		},
	})
	if err == nil {
		err = CheckExperiment(change)
	}
	if err != nil {
		return api.ExperimentChange{}, err
	}
	return change, nil
}

var parameterName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}$`)

// CheckExperiment says what is wrong with a change. Its error is an *answers.Error with status 400.
func CheckExperiment(c api.ExperimentChange) error {
	if !parameterName.MatchString(c.ID) {
		return answers.BadRequest("id, the parameter's name, has 1 to 40 letters, digits and _, the first a letter.")
	}
	if c.State != api.ExperimentDraft {
		if len(c.Values)+len(c.Percents) > 0 {
			return answers.BadRequest("Only a draft takes values: an experiment that has started keeps its own.")
		}
		if (c.State == api.ExperimentWinner) != (c.Winner != "") {
			return answers.BadRequest("The state winner needs a value, and no other state takes one.")
		}
		return nil
	}
	if len(c.Values) < 2 || len(c.Values) > maxValues || c.Winner != "" {
		return answers.BadRequest("A draft names 2 to %d values.", maxValues)
	}
	seen := make(map[string]bool)
	for _, v := range c.Values {
		if v == "" || utf8.RuneCountInString(v) > maxValue || seen[v] || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' }) {
			return answers.BadRequest("Each value must have 1 to %d characters and differ from the others.", maxValue)
		}
		seen[v] = true
	}
	return checkPercents(c)
}

func checkPercents(c api.ExperimentChange) error {
	if c.Percents == nil {
		return nil
	}
	sum := 0.0
	for _, n := range c.Percents {
		sum += n
		if n < 0.01 || n > 100 {
			return answers.BadRequest("Each of percents is a number from 0.01 to 100.")
		}
	}
	if len(c.Percents) != len(c.Values) || sum > 100.001 {
		return answers.BadRequest("percents has a number for each value, 100 together at most.")
	}
	return nil
}
