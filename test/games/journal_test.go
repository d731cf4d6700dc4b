package games

import (
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
)

// journal keeps what the generator reports of its last playtest in the browser, and what
// the judge said of revisions that it refused before.
type journal struct {
	problems, refused []string
	played            bool
}

func (j *journal) Progress(api.Stage, int, string) {}

func (j *journal) Event(eventType string, members map[string]any) {
	if eventType == api.EventPlaytestResult && members["tier"] == "browser" {
		if j.problems != nil && !j.played {
			j.refused = append(j.refused, j.problems...)
		}
		j.problems, _ = members["problems"].([]string)
		j.played, _ = members["ok"].(bool)
	}
}

func (j *journal) Built(map[string][]byte) {}

// made is what a request came to.
type made struct {
	gen.Result
	journal
	restored bool
	took     time.Duration
}
