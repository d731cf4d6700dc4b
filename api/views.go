package api

import (
	"net/url"
	"strconv"
)

// Views of how a game is played.
const (
	ViewOverview    = "overview"
	ViewLive        = "live"
	ViewEngagement  = "engagement"
	ViewRetention   = "retention"
	ViewFunnels     = "funnels"
	ViewEvents      = "events"
	ViewExperiments = "experiments"
	ViewBoard       = "board"
	ViewCosts       = "costs"
	ViewRows        = "rows" // the events of a day, one by one
)

// Views are all of them, as they are shown.
func Views() []string {
	return []string{ViewOverview, ViewLive, ViewEngagement, ViewRetention, ViewFunnels, ViewEvents, ViewExperiments, ViewBoard, ViewCosts, ViewRows}
}

// Formats of a view.
const (
	FormatJSON   = "json"
	FormatCSV    = "csv"
	FormatNDJSON = "ndjson"
)

// ViewQuery is what is asked of a view.
type ViewQuery struct {
	Name   string
	Days   int    // today included
	Day    string // of ViewRows, like 2026-11-24; "" for today
	After  string // of ViewRows, a View's NextCursor
	Table  string // for CSV and NDJSON; "" for the first one
	Format string
}

// Values returns what ParseViewQuery reads.
func (q ViewQuery) Values() url.Values {
	v := url.Values{}
	for name, value := range map[string]string{"day": q.Day, "after": q.After, "table": q.Table, "format": q.Format} {
		if value != "" {
			v.Set(name, value)
		}
	}
	if q.Days != 0 {
		v.Set("days", strconv.Itoa(q.Days))
	}
	return v
}

// View is one look at how a game was played by the public. Days are those of UTC.
type View struct {
	ProjectID  string      `json:"projectId"`
	View       string      `json:"view"`
	From       string      `json:"from"` // the first day
	To         string      `json:"to"`   // the last one
	Tables     []ViewTable `json:"tables"`
	NextCursor string      `json:"nextCursor,omitempty"` // where more rows are
}

// ViewTable is a table of figures, each with its definition.
type ViewTable struct {
	Name    string       `json:"name"`
	Title   string       `json:"title"`
	Columns []ViewColumn `json:"columns"`
	// Rows have a cell for each column: a text, a number, or null for what is not known
	// yet.
	Rows [][]any `json:"rows"`
}

// Units of a column.
const (
	UnitDay     = "day"     // like 2026-11-24, UTC
	UnitTime    = "time"    // RFC 3339, UTC
	UnitJob     = "job"     // a build's id
	UnitText    = "text"    // anything that a game says
	UnitCount   = "count"   // a whole number
	UnitSeconds = "seconds" // a whole number
	UnitNumber  = "number"
	UnitShare   = "share" // from 0 to 1
)

// ViewColumn is a figure.
type ViewColumn struct {
	Name       string `json:"name"`
	Title      string `json:"title"`
	Unit       string `json:"unit"`
	Definition string `json:"definition"`
}

// ViewFound is the body of GET /v1/projects/{id}/analytics/{view}.
type ViewFound struct {
	Success bool `json:"success"`
	Data    View `json:"data"`
}
