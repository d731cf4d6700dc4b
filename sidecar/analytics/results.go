package analytics

import (
	"math"
	"strings"

	"github.com/svc-games/svc/sidecar/experiment"
	"github.com/svc-games/svc/sidecar/store"
)

// figure is one of a player by which variants are compared.
type figure struct {
	name  string
	fewer bool // is better
}

// compared are all of them. All but the first are guardrails as well: a variant that loses
// one is no winner.
var compared = [...]figure{
	{"plays a player", false}, {"active seconds a player", false}, {"best score", false}, {"came back on day 1", false}, {"errors a session", true},
}

// arm is a variant's players.
type arm struct {
	players int64
	samples [len(compared)]experiment.Sample
}

// experiments are what variants of a parameter did.
func (v *looking) experiments() error {
	all, err := readExperiments(v.Reader, v.game)
	if err != nil {
		return err
	}
	var list, results [][]any
	for _, e := range all {
		arms, mixed, err := v.arms(e)
		if err != nil {
			return err
		}
		var players []int64
		var weights []int
		for i, variant := range e.Variants {
			players, weights = append(players, arms[i].players), append(weights, variant.Weight)
			results = append(results, armRows(e, i, arms)...)
		}
		days, started := 0, any(nil)
		if e.started > 0 {
			end := v.now.UnixMilli()
			if e.stopped > 0 {
				end = e.stopped
			}
			days, started = int((end-e.started)/msOfDay), dateOf(e.started/msOfDay)
		}
		list = append(list, []any{e.ID, e.State, strings.Join(e.Values(), ", "), started, int64(days), verdict(e, arms, experiment.Problem(players, weights, mixed, days))})
	}
	v.add("experiments", "Experiments", []string{"experiment", "state", "values", "started", "ran", "verdict"}, list)
	v.add("results", "Against the first value", []string{"experiment", "value", "exposed", "figure", "mean", "difference", "low", "high", "chance"}, results)
	return nil
}

// compare compares a figure of a variant with the control's. A verdict rests on all of
// these together.
func compare(arms []arm, i, figure int) experiment.Interval {
	return experiment.Compare(arms[0].samples[figure], arms[i].samples[figure], len(compared)*(len(arms)-1))
}

// armRows are a variant's figures, one a row.
func armRows(e Experiment, i int, arms []arm) (rows [][]any) {
	for f, figure := range compared {
		row := []any{e.ID, e.Variants[i].Value, arms[i].players, figure.name, rounded(arms[i].samples[f].Mean()), nil, nil, nil, nil}
		if i > 0 {
			d := compare(arms, i, f)
			row[5], row[6], row[7] = rounded(d.Difference), rounded(d.Low), rounded(d.High)
			row[8] = rounded(experiment.ChanceBetter(arms[0].samples[f], arms[i].samples[f]))
		}
		rows = append(rows, row)
	}
	return rows
}

// rounded is a number to four places, null for one without an end.
func rounded(x float64) any {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return math.Round(x*10000) / 10000
}

// verdict says what an experiment has shown.
func verdict(e Experiment, arms []arm, problem string) string {
	switch {
	case e.State == ExperimentDraft:
		return "not begun"
	case e.State == ExperimentWinner:
		return "all get " + e.Winner
	case problem != "":
		return "none: " + problem
	}
	var said []string
	for i := 1; i < len(arms); i++ {
		var worse []string
		better := false
		for f, figure := range compared {
			gain := compare(arms, i, f)
			if figure.fewer {
				gain.Low, gain.High = -gain.High, -gain.Low
			}
			if gain.High < 0 {
				worse = append(worse, figure.name)
			}
			better = better || gain.Low > 0
		}
		switch value := e.Variants[i].Value; {
		case len(worse) > 0:
			said = append(said, value+" is worse in "+strings.Join(worse, ", "))
		case better:
			said = append(said, value+" is better")
		}
	}
	if len(said) == 0 {
		return "none: no difference is certain yet"
	}
	return strings.Join(said, "; ")
}

// arms reads what the players of each variant did from the day on which their game read
// its value, and how many read two.
func (v *looking) arms(e Experiment) (arms []arm, mixed int64, err error) {
	arms = make([]arm, len(e.Variants))
	index := make(map[string]int)
	for i, variant := range e.Variants {
		index[variant.Value] = i
	}
	last := v.last
	if e.stopped > 0 {
		last = min(last, e.stopped/msOfDay)
	}
	if err := v.Row("SELECT count(*) FROM play_exposures WHERE game = ? AND experiment = ? AND mixed = 1", v.game, e.ID).Scan(&mixed); err != nil {
		return nil, 0, err
	}
	err = v.Each(func(scan store.Scan) error {
		var value string
		var day, plays, active, again, errors, sessions int64
		var best *float64
		if err := scan(&value, &day, &plays, &active, &best, &again, &errors, &sessions); err != nil {
			return err
		}
		i, there := index[value]
		if !there {
			return nil
		}
		a := &arms[i]
		a.players++
		a.samples[0].Add(float64(plays))
		a.samples[1].Add(float64(active) / 1000)
		if best != nil {
			a.samples[2].Add(*best)
		}
		if day+1 < v.last && day+1 <= last { // that day is over, and was looked at
			a.samples[3].Add(float64(again))
		}
		if sessions > 0 {
			a.samples[4].Add(float64(errors) / float64(sessions))
		}
		return nil
	}, `SELECT e.variant, e.day, CAST(coalesce(sum(CASE WHEN s.runs > 0 THEN 1 ELSE 0 END), 0) AS BIGINT), CAST(coalesce(sum(s.active), 0) AS BIGINT), max(s.best),
			CAST(coalesce(max(CASE WHEN s.day = e.day + 1 AND s.runs > 0 THEN 1 ELSE 0 END), 0) AS BIGINT),
			CAST(coalesce(sum(s.errors), 0) AS BIGINT), count(s.stream)
		FROM play_exposures e LEFT JOIN play_streams s ON s.game = e.game AND s.player = e.player AND s.class = 'public' AND s.day BETWEEN e.day AND ?
		WHERE e.game = ? AND e.experiment = ? AND e.mixed = 0 GROUP BY e.player, e.variant, e.day`, last, v.game, e.ID)
	return arms, mixed, err
}
