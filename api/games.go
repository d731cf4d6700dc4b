package api

import (
	"encoding/json"
	"math"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// MaxOrigins bounds the origins of a game.
const MaxOrigins = 20

// maxOrigin is how many characters an origin may have.
const maxOrigin = 200

// PlaySettings are what its owner set for a game.
type PlaySettings struct {
	// Origins are those of the pages of others that may show the game and report what is
	// played of it; empty for all. The game's own page may always.
	Origins []string `json:"origins"`
	// TIKPerMonth is what the game may cost in a month of UTC.
	TIKPerMonth TIK `json:"tikPerMonth"`
	// AskConsent has the game's page ask players before it names them.
	AskConsent bool `json:"askConsent"`
	// FormerKeysUntil is when the last former key of the game ends; nil without one.
	FormerKeysUntil *time.Time `json:"formerKeysUntil,omitempty"`
}

// PlaySettingsFound is the body of GET and POST /v1/projects/{id}/publish/settings.
type PlaySettingsFound struct {
	Success bool         `json:"success"`
	Data    PlaySettings `json:"data"`
}

// PlayChange changes some of a game's settings: what is nil stays.
type PlayChange struct {
	Origins     *[]string `json:"origins,omitempty"`
	TIKPerMonth *TIK      `json:"tikPerMonth,omitempty"`
	AskConsent  *bool     `json:"askConsent,omitempty"`
}

// ParsePlayChange reads and checks the body of POST /v1/projects/{id}/publish/settings.
// Its error is an *Error with status 400.
func ParsePlayChange(body []byte) (PlayChange, error) {
	var change PlayChange
	err := decodeObject(body, "", members{
		"origins": func(raw json.RawMessage) error {
			origins := []string{}
			change.Origins = &origins
			return decodeArray(raw, "origins", MaxOrigins, func(i int, raw json.RawMessage) error {
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
			var most TIK
			if err := json.Unmarshal(raw, &most); err != nil || most < 0 {
				return BadRequest("tikPerMonth must be a number from 0, with at most six places.")
			}
			change.TIKPerMonth = &most
			return nil
		},
		"askConsent": boolean(&change.AskConsent, "askConsent"),
	})
	if err != nil {
		return PlayChange{}, err
	}
	return change, nil
}

// ParseOrigin returns an origin as browsers write it. Its error is an *Error with status
// 400.
func ParseOrigin(text string) (string, error) {
	u, err := url.Parse(strings.ToLower(strings.TrimSuffix(text, "/")))
	printable := strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`;,'"*`, r) }) < 0
	if err != nil || !printable || len(text) > maxOrigin || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.Contains(text, "#") {
		return "", BadRequest("%q is not an origin like https://example.com, in ASCII.", text)
	}
	if u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
		u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	return u.Scheme + "://" + u.Host, nil
}

// Days for which a former key of a game may go on.
const (
	DefaultKeepDays = 30
	MaxKeepDays     = 90
)

// ParseRotateRequest reads and checks the body of POST /v1/projects/{id}/publish/key: for
// how long the key before goes on. Its error is an *Error with status 400.
func ParseRotateRequest(body []byte) (keep time.Duration, err error) {
	days := DefaultKeepDays
	if len(body) > 0 {
		err = decodeObject(body, "", members{
			"keepDays": value("keepDays", "a number", func(n float64) error {
				if n != math.Trunc(n) || n < 0 || n > MaxKeepDays {
					return BadRequest("keepDays must be a whole number from 0 to %d.", MaxKeepDays)
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

// States of an experiment, and ExperimentRemoved for one that is to be no more.
const (
	ExperimentDraft   = "draft"
	ExperimentRunning = "running"
	ExperimentStopped = "stopped" // players get what the game has without it
	ExperimentWinner  = "winner"  // all get one value
	ExperimentRemoved = "removed"
)

// Experiment gives players different values of one parameter of a game.
type Experiment struct {
	ID        string            `json:"id"` // the parameter
	State     string            `json:"state"`
	Values    []ExperimentValue `json:"values"` // the first one is the control
	Winner    string            `json:"winner,omitempty"`
	StartedAt *time.Time        `json:"startedAt,omitempty"`
	StoppedAt *time.Time        `json:"stoppedAt,omitempty"`
}

// ExperimentValue is one value, and how many players get it.
type ExperimentValue struct {
	Value   string  `json:"value"`
	Percent float64 `json:"percent"`
}

// ExperimentList is the body of GET and POST /v1/projects/{id}/experiments.
type ExperimentList struct {
	Success bool         `json:"success"`
	Data    []Experiment `json:"data"`
}

// ExperimentChange makes a draft of an experiment, or takes it to another state.
type ExperimentChange struct {
	ID       string    `json:"id"`
	State    string    `json:"state,omitempty"`
	Values   []string  `json:"values,omitempty"`   // of a draft
	Percents []float64 `json:"percents,omitempty"` // of players that get each; none for even ones
	Winner   string    `json:"winner,omitempty"`
}

// ParseExperimentChange reads and checks the body of POST /v1/projects/{id}/experiments.
// Its error is an *Error with status 400.
func ParseExperimentChange(body []byte) (ExperimentChange, error) {
	change := ExperimentChange{State: ExperimentDraft}
	err := decodeObject(body, "", members{
		"id":     text(&change.ID, "id", 1, maxValue),
		"state":  oneOf(&change.State, "state", ExperimentDraft, ExperimentRunning, ExperimentStopped, ExperimentWinner, ExperimentRemoved),
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
		return ExperimentChange{}, err
	}
	return change, nil
}

var parameterName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}$`)

// CheckExperiment says what is wrong with a change. Its error is an *Error with status 400.
func CheckExperiment(c ExperimentChange) error {
	if !parameterName.MatchString(c.ID) {
		return BadRequest("id, the parameter's name, has 1 to 40 letters, digits and _, the first a letter.")
	}
	if c.State != ExperimentDraft {
		if len(c.Values)+len(c.Percents) > 0 {
			return BadRequest("Only a draft takes values: an experiment that has started keeps its own.")
		}
		if (c.State == ExperimentWinner) != (c.Winner != "") {
			return BadRequest("The state winner needs a value, and no other state takes one.")
		}
		return nil
	}
	if len(c.Values) < 2 || len(c.Values) > maxValues || c.Winner != "" {
		return BadRequest("A draft names 2 to %d values.", maxValues)
	}
	seen := make(map[string]bool)
	for _, v := range c.Values {
		if v == "" || utf8.RuneCountInString(v) > maxValue || seen[v] || strings.ContainsFunc(v, func(r rune) bool { return r < ' ' }) {
			return BadRequest("Each value must have 1 to %d characters and differ from the others.", maxValue)
		}
		seen[v] = true
	}
	return checkPercents(c)
}

func checkPercents(c ExperimentChange) error {
	if c.Percents == nil {
		return nil
	}
	sum := 0.0
	for _, n := range c.Percents {
		sum += n
		if n < 0.01 || n > 100 {
			return BadRequest("Each of percents is a number from 0.01 to 100.")
		}
	}
	if len(c.Percents) != len(c.Values) || sum > 100.001 {
		return BadRequest("percents has a number for each value, 100 together at most.")
	}
	return nil
}
