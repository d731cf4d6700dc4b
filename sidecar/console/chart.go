package console

import (
	"fmt"
	"math"
	"slices"

	"github.com/svc-games/svc/api"
)

// Measures of a chart, in units of its own.
const (
	chartHeight = 120
	chartStep   = 10 // a bar and the gap after it
)

// chart is one figure of a table as bars, a row each.
type chart struct {
	Title       string
	Bars        []chartBar
	Marks       []chartMark
	Width       int
	Most        string // the highest bar's figure
	First, Last string // what the axis begins and ends with
	Text        string // says the chart in words
}

type chartBar struct {
	X, Y, H int
	Label   string
	Gap     bool // not all that came was kept
}

// chartMark says where something began.
type chartMark struct {
	X     int
	Label string
}

// Height is the chart's.
func (chart) Height() int { return chartHeight }

// Gaps reports whether a part of the chart is hatched.
func (c chart) Gaps() bool {
	return slices.ContainsFunc(c.Bars, func(b chartBar) bool { return b.Gap })
}

// charts are the figures that are drawn, by view and table.
var charts = map[[2]string][]string{
	{api.ViewOverview, "days"}:      {"plays", "activeSeconds"},
	{api.ViewLive, "minutes"}:       {"events"},
	{api.ViewEngagement, "days"}:    {"players"},
	{api.ViewEngagement, "lengths"}: {"sessions"},
	{api.ViewEngagement, "scores"}:  {"ended"},
	{api.ViewCosts, "days"}:         {"paid"},
}

// chartOf draws a figure of a table. What began is marked at the first row of its label.
func chartOf(t api.ViewTable, figure string, began map[string]string) chart {
	at, gaps := columnAt(t, figure), columnAt(t, "unpaid")
	unit := t.Columns[at].Unit
	c := chart{Title: t.Columns[at].Title, Width: max(1, len(t.Rows)) * chartStep}
	var most, sum float64
	for _, row := range t.Rows {
		most, sum = max(most, number(row[at])), sum+number(row[at])
	}
	for i, row := range t.Rows {
		label := shownCell(t.Columns[0], row[0])
		b := chartBar{X: i * chartStep, Label: label + ": " + shownCell(t.Columns[at], row[at]), Gap: gaps >= 0 && number(row[gaps]) > 0}
		if n := number(row[at]); n > 0 {
			b.H = max(2, int(math.Round(n*chartHeight/most)))
		}
		if b.Gap {
			b.Label += ", and " + shownCell(t.Columns[gaps], row[gaps]) + " events were not kept"
		}
		b.Y = chartHeight - b.H
		c.Bars = append(c.Bars, b)
		if text := began[label]; text != "" {
			c.Marks = append(c.Marks, chartMark{X: b.X, Label: text})
		}
	}
	if len(t.Rows) > 0 {
		c.First, c.Last = shownCell(t.Columns[0], t.Rows[0][0]), shownCell(t.Columns[0], t.Rows[len(t.Rows)-1][0])
	}
	column := api.ViewColumn{Unit: unit}
	c.Most = shownCell(column, most)
	c.Text = fmt.Sprintf("%s from %s to %s: %s in all, at most %s at once", c.Title, c.First, c.Last, shownCell(column, sum), c.Most)
	return c
}

// columnAt returns where a table has a figure, -1 for nowhere.
func columnAt(t api.ViewTable, figure string) int {
	return slices.IndexFunc(t.Columns, func(c api.ViewColumn) bool { return c.Name == figure })
}

// number is a cell's, 0 for one that has none.
func number(cell any) float64 {
	switch n := cell.(type) {
	case int:
		return float64(n)
	case int64:
		return float64(n)
	case float64:
		return n
	}
	return 0
}
