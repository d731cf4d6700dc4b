package console

import (
	"errors"
	"net/http"

	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/tables"
)

// usagePage is what all keys of a user did.
type usagePage struct {
	User keys.User
	All  plot
	Rows []keyRow
}

func (c *Console) showUsage(v *visit) {
	page, err := c.usagePage(v)
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	c.show(v, "usage", page)
}

func (c *Console) usagePage(v *visit) (page usagePage, err error) {
	if page.User, err = c.Keys.User(v.r.Context(), v.user); err != nil {
		return page, err
	}
	plots, err := c.plots(v)
	if err != nil {
		return page, err
	}
	page.All = plots.of("")
	list, err := c.Keys.Keys(v.r.Context(), v.user)
	if err != nil {
		return page, err
	}
	for _, key := range list {
		row, err := c.keyRow(v, key)
		if err != nil {
			return page, err
		}
		row.Plot = plots.of(key.ID)
		page.Rows = append(page.Rows, row)
	}
	return page, nil
}

// statementPage is what moved the balance, oldest first.
type statementPage struct {
	keys.Statement
	After string
	Names map[string]string // of keys, by id
}

func (c *Console) showStatement(v *visit) {
	after := v.r.URL.Query().Get("after")
	statement, err := c.Keys.Statement(v.r.Context(), v.user, "", after)
	var refusal *keys.Refusal
	if errors.As(err, &refusal) {
		c.fail(v, v.r, http.StatusBadRequest, sentence(refusal))
		return
	}
	page := statementPage{Statement: statement, After: after}
	if err == nil {
		page.Names, err = c.keyNames(v)
	}
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	c.show(v, "statement", page)
}

// keyNames are the names of the visitor's keys by their ids.
func (c *Console) keyNames(v *visit) (map[string]string, error) {
	list, err := c.Keys.Keys(v.r.Context(), v.user)
	if err != nil {
		return nil, err
	}
	names := make(map[string]string, len(list))
	for _, key := range list {
		names[key.ID] = key.Name
	}
	return names, nil
}

// usageCSV is the daily usage of each key.
func (c *Console) usageCSV(v *visit) {
	last := c.Now().UTC()
	days, err := c.Keys.Daily(v.r.Context(), v.user, last.AddDate(0, 0, 1-plotDays), last)
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	names, err := c.keyNames(v)
	if err != nil {
		c.broken(v, v.r, err)
		return
	}
	c.sendCSV(v, "usage.csv", tables.DailyHeader, tables.Daily(days, names))
}

// statementCSV is the whole statement.
func (c *Console) statementCSV(v *visit) {
	var entries []keys.Entry
	for after := ""; ; {
		page, err := c.Keys.Statement(v.r.Context(), v.user, "", after)
		if err != nil {
			c.broken(v, v.r, err)
			return
		}
		entries = append(entries, page.Entries...)
		if after = page.Next; after == "" {
			break
		}
	}
	c.sendCSV(v, "statement.csv", tables.StatementHeader, tables.Statement(entries, tables.Time))
}

func (c *Console) sendCSV(v *visit, name string, header []string, rows [][]string) {
	v.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	// A browser that went away is no error of ours.
	_ = tables.WriteCSV(v, header, rows)
}
