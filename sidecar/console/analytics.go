package console

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/site"
)

// analyticsPage is one view of how a project's game is played.
type analyticsPage struct {
	Project     projects.Details
	Published   *api.Publication
	View        api.View
	Days        int
	Sums        []sum
	Tables      []analyticsTable
	Shown       string                // the view's title
	Board       *analytics.BoardRules // of the board's view
	Experiments []analytics.Experiment
}

// Views are all that have a page.
func (analyticsPage) Views() []string {
	return slices.DeleteFunc(api.Views(), func(v string) bool { return v == api.ViewRows })
}

// Periods are the days that a page offers.
func (analyticsPage) Periods() []int { return []int{7, 30, 90} }

// Experimenting reports whether the page is that of experiments.
func (p analyticsPage) Experimenting() bool { return p.View.View == api.ViewExperiments }

// Live reports whether the page shows what happens now.
func (p analyticsPage) Live() bool { return p.View.View == api.ViewLive }

// sum is a figure of the whole period, and of the one before.
type sum struct{ Title, Now, Before, Definition string }

// analyticsTable is a table, with charts of some of its figures.
type analyticsTable struct {
	api.ViewTable
	Charts []chart
}

// Cells are a row's cells with their columns.
func (t analyticsTable) Cells(row []any) []analyticsCell {
	cells := make([]analyticsCell, len(row))
	for i, cell := range row {
		c := t.Columns[i]
		cells[i] = analyticsCell{Column: c, Text: shownCell(c, cell)}
		if c.Unit == api.UnitJob && cell != "" {
			cells[i].Job = fmt.Sprint(cell)
		}
		if c.Unit == api.UnitShare && cell != nil {
			cells[i].Shade = fmt.Sprint("shade", min(9, int(10*number(cell))))
		}
	}
	return cells
}

type analyticsCell struct {
	Column api.ViewColumn
	Text   string
	Job    string // "" for no build
	Shade  string // the class of a share
}

// IsNumber reports whether a column's cells stand at its right.
func (c analyticsCell) IsNumber() bool { return isNumber(c.Column) }

func isNumber(c api.ViewColumn) bool {
	return slices.Contains([]string{api.UnitCount, api.UnitSeconds, api.UnitNumber, api.UnitShare}, c.Unit)
}

// showAnalytics shows a view, or sends one of its tables as CSV.
func (c *Console) showAnalytics(x *exchange) error {
	name := x.r.PathValue("view")
	page := analyticsPage{}
	if !slices.Contains(page.Views(), name) {
		return &failure{http.StatusNotFound, "There is no such page."}
	}
	var err error
	if page.Project, err = c.project(x, policy.ActionAnalytics); err != nil {
		return err
	}
	q, err := requests.ParseViewQuery(name, x.r.URL.Query())
	if err != nil {
		return &failure{http.StatusBadRequest, err.Error()}
	}
	if page.View, err = c.View(x.r.Context(), page.Project.ID, q); err != nil {
		return err
	}
	if q.Format == api.FormatCSV {
		return sendTable(x, page.View, q.Table)
	}
	if page.Published, err = c.published(x, page.Project.ID); err != nil {
		return err
	}
	if err := c.settings(x, &page); err != nil {
		return err
	}
	page.Days, page.Shown = q.Days, capital(name)
	page.fill()
	return c.show(x, http.StatusOK, "analytics", page)
}

// settings reads what the forms of a view change.
func (c *Console) settings(x *exchange, page *analyticsPage) error {
	if page.View.View != api.ViewBoard && page.View.View != api.ViewExperiments {
		return nil
	}
	played, err := c.Played(x.r.Context())
	if err != nil {
		return err
	}
	if page.View.View == api.ViewExperiments {
		page.Experiments, err = played.Experiments(x.r.Context(), page.Project.ID)
		return err
	}
	rules, err := played.BoardRules(x.r.Context(), page.Project.ID)
	page.Board = &rules
	return err
}

func sendTable(x *exchange, view api.View, name string) error {
	table, err := requests.TableOf(view, name)
	if err != nil {
		return &failure{http.StatusBadRequest, err.Error()}
	}
	x.Header().Set("Content-Type", "text/csv; charset=utf-8")
	x.Header().Set("Content-Disposition", `attachment; filename="`+view.View+"-"+table.Name+`.csv"`)
	// A browser that went away is no error of ours.
	_ = table.WriteCSV(x)
	return nil
}

// fill makes what the page shows of its view.
func (p *analyticsPage) fill() {
	began := make(map[string]string)
	for _, t := range p.View.Tables {
		if first := columnAt(t, "firstDay"); first >= 0 {
			for _, row := range t.Rows {
				began[fmt.Sprint(row[first])] = fmt.Sprintf("%v was played first", row[0])
			}
		}
	}
	for _, t := range p.View.Tables {
		if t.Name == "periods" && len(t.Rows) == 2 {
			for i, c := range t.Columns[1:] {
				p.Sums = append(p.Sums, sum{c.Title, shownCell(c, t.Rows[0][i+1]), shownCell(c, t.Rows[1][i+1]), c.Definition})
			}
			continue
		}
		shown := analyticsTable{ViewTable: t}
		for _, figure := range charts[[2]string{p.View.View, t.Name}] {
			shown.Charts = append(shown.Charts, chartOf(t, figure, began))
		}
		p.Tables = append(p.Tables, shown)
	}
}

// shownCell writes a cell for people.
func shownCell(c api.ViewColumn, cell any) string {
	if cell == nil {
		return "–"
	}
	switch c.Unit {
	case api.UnitShare:
		return fmt.Sprintf("%.1f %%", 100*number(cell))
	case api.UnitSeconds:
		return shownSeconds(number(cell))
	case api.UnitTime:
		if at, err := time.Parse(time.RFC3339, fmt.Sprint(cell)); err == nil {
			return at.Format("15:04:05")
		}
	}
	return api.CellText(cell)
}

// shownSeconds writes a time as people say it.
func shownSeconds(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second)).Round(time.Second)
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return strings.TrimSuffix(fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60), " 0 s")
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// toOverview leads from the address of all views to the first one.
func toOverview(w http.ResponseWriter, r *http.Request) {
	http.Redirect(w, r, site.Path+"projects/"+url.PathEscape(r.PathValue("project"))+"/analytics/"+api.ViewOverview, http.StatusSeeOther)
}
