package api

import (
	"time"
)

// MaxOrigins bounds the origins of a game.
const MaxOrigins = 20

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

// Days for which a former key of a game may go on.
const (
	DefaultKeepDays = 30
	MaxKeepDays     = 90
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
