package console

import (
	"errors"
	"net/http"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/tables"
)

// usagePage is what all keys of a user did.
type usagePage struct {
	User keys.User
	All  plot
	Rows []keyRow
}

func (c *Console) showUsage(x *exchange) error {
	page, err := c.usagePage(x)
	if err != nil {
		return err
	}
	return c.show(x, http.StatusOK, "usage", page)
}

func (c *Console) usagePage(x *exchange) (page usagePage, err error) {
	if page.User, err = c.Keys.User(x.r.Context(), x.user); err != nil {
		return page, err
	}
	plots, err := c.plots(x, x.user)
	if err != nil {
		return page, err
	}
	page.All = plots.of("")
	list, err := c.Keys.Keys(x.r.Context(), x.user)
	if err != nil {
		return page, err
	}
	for _, key := range list {
		row, err := c.keyRow(x, key, plots)
		if err != nil {
			return page, err
		}
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

func (c *Console) showStatement(x *exchange) error {
	after := x.r.URL.Query().Get("after")
	statement, err := c.Keys.Statement(x.r.Context(), x.user, "", after)
	if refusal, ok := errors.AsType[*keys.Refusal](err); ok {
		return &failure{http.StatusBadRequest, sentence(refusal)}
	}
	page := statementPage{Statement: statement, After: after}
	if err == nil {
		page.Names, err = c.keyNames(x)
	}
	if err != nil {
		return err
	}
	return c.show(x, http.StatusOK, "statement", page)
}

// shownNames are the keyNames where the user may see keys, else nil.
func (c *Console) shownNames(x *exchange) (map[string]string, error) {
	d, err := c.decide(x.r.Context(), x.user, "", policy.ActionReadKeys)
	if err != nil || !d.Allow {
		return nil, err
	}
	return c.keyNames(x)
}

// keyNames are the names of the visitor's keys by their ids.
func (c *Console) keyNames(x *exchange) (map[string]string, error) {
	list, err := c.Keys.Keys(x.r.Context(), x.user)
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
func (c *Console) usageCSV(x *exchange) error {
	plots, err := c.plots(x, x.user)
	if err != nil {
		return err
	}
	names, err := c.keyNames(x)
	if err != nil {
		return err
	}
	return sendCSV(x, "usage.csv", tables.DailyHeader, tables.Daily(plots.days, names))
}

// statementCSV is the whole statement.
func (c *Console) statementCSV(x *exchange) error {
	var entries []keys.Entry
	for after := ""; ; {
		page, err := c.Keys.Statement(x.r.Context(), x.user, "", after)
		if err != nil {
			return err
		}
		entries = append(entries, page.Entries...)
		if after = page.Next; after == "" {
			break
		}
	}
	return sendCSV(x, "statement.csv", tables.StatementHeader, tables.Statement(entries, tables.Time))
}

func sendCSV(x *exchange, name string, header []string, rows [][]string) error {
	x.Header().Set("Content-Type", "text/csv; charset=utf-8")
	x.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	// A browser that went away is no error of ours.
	_ = tables.WriteCSV(x, header, rows)
	return nil
}
