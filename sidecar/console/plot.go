package console

import (
	"fmt"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/keys"
)

// plotDays is how many days a plot shows, today included.
const plotDays = 30

// Measures of a plot, in units of its own.
const (
	plotHeight = 32
	plotStep   = 6 // a bar and the gap after it
)

// plot is what happened on each of the last days, as bars.
type plot struct {
	Days  []plotDay
	Width int
	Text  string // says the plot in words
}

type plotDay struct {
	Date    string
	Jobs    int64
	TIK     api.TIK
	X, Y, H int // of its bar
}

// Height is the plot's.
func (plot) Height() int { return plotHeight }

// Active are the days on which something happened, newest first.
func (p plot) Active() []plotDay {
	var days []plotDay
	for i := len(p.Days) - 1; i >= 0; i-- {
		if d := p.Days[i]; d.Jobs > 0 || d.TIK > 0 {
			days = append(days, d)
		}
	}
	return days
}

// plotted are the days of all keys of a user.
type plotted struct {
	dates []string
	days  []keys.Day
}

// plots reads what a user's keys did.
func (c *Console) plots(x *exchange, userID string) (plotted, error) {
	last := c.Now().UTC()
	first := last.AddDate(0, 0, 1-plotDays)
	days, err := c.Keys.Daily(x.r.Context(), userID, first, last)
	if err != nil {
		return plotted{}, err
	}
	p := plotted{days: days}
	for i := range plotDays {
		p.dates = append(p.dates, first.AddDate(0, 0, i).Format(time.DateOnly))
	}
	return p, nil
}

// of returns the plot of one key, or of all with "".
func (p plotted) of(keyID string) plot {
	byDate := make(map[string]keys.Day)
	var jobs, maxJobs int64
	var tik api.TIK
	for _, d := range p.days {
		if keyID == "" || d.KeyID == keyID {
			sum := byDate[d.Date]
			sum.Jobs += d.Jobs
			sum.TIK += d.TIK
			byDate[d.Date] = sum
			maxJobs = max(maxJobs, sum.Jobs)
			jobs += d.Jobs
			tik += d.TIK
		}
	}
	out := plot{
		Width: len(p.dates) * plotStep,
		Text:  fmt.Sprintf("%s and %s TIK in the last %d days", count(jobs, "job"), tik, plotDays),
	}
	for i, date := range p.dates {
		d := plotDay{Date: date, Jobs: byDate[date].Jobs, TIK: byDate[date].TIK, X: i * plotStep}
		if d.Jobs > 0 {
			d.H = max(2, int(d.Jobs*plotHeight/maxJobs))
		}
		d.Y = plotHeight - d.H
		out.Days = append(out.Days, d)
	}
	return out
}
