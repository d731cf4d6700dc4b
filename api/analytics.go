package api

import (
	"time"
)

// Days that an overview may cover.
const (
	DefaultOverviewDays = 7
	MaxOverviewDays     = 90
)

// PublishRequest is the body of POST /v1/projects/{id}/publish.
type PublishRequest struct {
	JobID string `json:"jobId"`
}

// Publication says which job's game players get.
type Publication struct {
	GameID      string    `json:"gameId"` // the project's id
	JobID       string    `json:"jobId"`
	PublishedAt time.Time `json:"publishedAt"`
	Key         string    `json:"key"`  // public: it stands in pages
	Path        string    `json:"path"` // of the game's page on the site
	// BlockedFor is why administrators keep the game from players, "" if they do not.
	BlockedFor string `json:"blockedFor,omitempty"`
}

// Published is the body of POST and GET /v1/projects/{id}/publish.
type Published struct {
	Success bool        `json:"success"`
	Data    Publication `json:"data"`
}

// Overview is how a game was played by the public. Days are those of UTC; a session
// counts on the day on which it began.
type Overview struct {
	ProjectID string       `json:"projectId"`
	From      string       `json:"from"` // the first day
	To        string       `json:"to"`   // the last one, which is today and not over
	Total     PlayCounts   `json:"total"`
	Previous  PlayCounts   `json:"previous"` // of as many days before
	Days      []PlayCounts `json:"days"`
	Builds    []Build      `json:"builds"` // newest first, 100 at most
	// Events are counts by name.
	Events map[string]int64 `json:"events"`
	// Dropped are the events that were not kept, by cause.
	Dropped map[string]int64 `json:"dropped"`
	// View and Tables are the same as all views have it, with definitions.
	View   string      `json:"view"`
	Tables []ViewTable `json:"tables"`
}

// PlayCounts are figures of some days.
type PlayCounts struct {
	Day           string `json:"day,omitempty"` // on a line of days
	Sessions      int64  `json:"sessions"`      // loads of the game's page
	Plays         int64  `json:"plays"`         // sessions in which a run began
	Runs          int64  `json:"runs"`          // from a start to an end
	Players       int64  `json:"players"`       // that played
	NewPlayers    int64  `json:"newPlayers"`    // that had not played on an earlier day
	ActiveSeconds int64  `json:"activeSeconds"` // page seen, and used in the last minute
	// MedianSessionSeconds is of the sessions that were active for a second at least,
	// to within a fifth.
	MedianSessionSeconds int64 `json:"medianSessionSeconds"`
	Events               int64 `json:"events"` // that were kept
	Lost                 int64 `json:"lost"`   // that a game sent and that never came
}

// Build are figures of one published job's game. Players are counted by day alone.
type Build struct {
	JobID         string `json:"jobId"`
	Sessions      int64  `json:"sessions"`
	Plays         int64  `json:"plays"`
	Runs          int64  `json:"runs"`
	ActiveSeconds int64  `json:"activeSeconds"`
}

// OverviewFound is the body of GET /v1/projects/{id}/analytics/overview.
type OverviewFound struct {
	Success bool     `json:"success"`
	Data    Overview `json:"data"`
}
