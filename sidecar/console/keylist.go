package console

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/site"
)

// keysPage is the list of a user's keys.
type keysPage struct {
	Of     string // the user, "" for the visitor
	Rows   []keyRow
	Total  int // before filters
	Own    int // of them, without the studio's
	Live   int // of those, not revoked
	Max    int
	Filter keyFilter
	User   keys.User
}

// Full reports whether another key would be one too many.
func (p keysPage) Full() bool { return p.Live >= p.Max }

// Near reports whether the limit should be known by now.
func (p keysPage) Near() bool { return p.Live >= p.Max-5 }

// keyRow is a key with what it used.
type keyRow struct {
	keys.Key
	Bars     []bar
	Spent    string
	LastUsed string // "" for never
	Plot     plot
}

// keyFilter is what the list's address says of it.
type keyFilter struct {
	Of, Query, State, Sort string
	Down                   bool
}

// sorts are the columns that the list can be ordered by.
var sorts = map[string]func(a, b keyRow) int{
	"name":    func(a, b keyRow) int { return cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) },
	"created": func(a, b keyRow) int { return a.CreatedAt.Compare(b.CreatedAt) },
	"used":    func(a, b keyRow) int { return lastUse(a).Compare(lastUse(b)) },
	"state":   func(a, b keyRow) int { return cmp.Compare(a.State, b.State) },
}

func lastUse(row keyRow) time.Time {
	if row.LastUsedAt == nil {
		return time.Time{}
	}
	return *row.LastUsedAt
}

func readFilter(q url.Values) keyFilter {
	f := keyFilter{Of: q.Get("user"), Query: strings.TrimSpace(q.Get("q")), State: q.Get("state"), Sort: q.Get("sort"), Down: q.Get("order") == "down"}
	if _, exists := sorts[f.Sort]; !exists {
		f.Sort, f.Down = "created", true
	}
	if !slices.Contains([]string{policy.KeyActive, policy.KeyDisabled, policy.KeyRevoked}, f.State) {
		f.State = ""
	}
	return f
}

// All returns the address of the list without a filter.
func (f keyFilter) All() string {
	if f.Of == "" {
		return site.Path + "keys"
	}
	return site.Path + "keys?" + url.Values{"user": {f.Of}}.Encode()
}

// Filtered reports whether keys may be hidden.
func (f keyFilter) Filtered() bool { return f.Query != "" || f.State != "" }

// By returns the address of the list in the order of a column, or in its
// reverse when that is its order now.
func (f keyFilter) By(column string) string {
	q := url.Values{"sort": {column}}
	if f.Sort == column && !f.Down {
		q.Set("order", "down")
	}
	if f.Of != "" {
		q.Set("user", f.Of)
	}
	if f.Query != "" {
		q.Set("q", f.Query)
	}
	if f.State != "" {
		q.Set("state", f.State)
	}
	return site.Path + "keys?" + q.Encode()
}

// Order is a column's aria-sort.
func (f keyFilter) Order(column string) string {
	switch {
	case f.Sort != column:
		return "none"
	case f.Down:
		return "descending"
	}
	return "ascending"
}

func (f keyFilter) match(k keys.Key) bool {
	if f.State != "" && k.State != f.State {
		return false
	}
	query := strings.ToLower(f.Query)
	return query == "" || strings.Contains(strings.ToLower(k.Name), query) || strings.Contains(strings.ToLower(k.Masked), query)
}

// listKeys lists the visitor's keys, or those of the user whom the address names.
func (c *Console) listKeys(x *exchange) error {
	filter := readFilter(x.r.URL.Query())
	if filter.Of != "" && filter.Of != x.user {
		return c.listOthersKeys(x, filter)
	}
	filter.Of = ""
	if err := c.allow(x, "", policy.ActionReadKeys); err != nil {
		return err
	}
	return c.presentKeys(x, x.user, filter)
}

func (c *Console) listOthersKeys(x *exchange, filter keyFilter) error {
	about := policy.Target{UserID: filter.Of}
	d, err := c.Access.DecideAbout(decisionlog.WithPage(x.r.Context()), atConsole(x.user), about, "", policy.ActionReadOthersKeys)
	switch {
	case err != nil:
		return err
	case !d.Allow:
		return &failure{d.Status, d.Error}
	}
	return c.presentKeys(x, filter.Of, filter)
}

func (c *Console) presentKeys(x *exchange, userID string, filter keyFilter) error {
	page, err := c.keysPage(x, userID, filter)
	if errors.Is(err, keys.ErrUnknownUser) {
		err = &failure{http.StatusNotFound, "There is no such user."}
	}
	if err != nil {
		return err
	}
	return c.show(x, http.StatusOK, "keys", page)
}

func (c *Console) keysPage(x *exchange, userID string, filter keyFilter) (keysPage, error) {
	page := keysPage{Of: filter.Of, Max: keys.MaxPerUser, Filter: filter}
	list, err := c.Keys.Keys(x.r.Context(), userID)
	if err != nil {
		return page, err
	}
	if page.User, err = c.Keys.User(x.r.Context(), userID); err != nil {
		return page, err
	}
	plots, err := c.plots(x, userID)
	if err != nil {
		return page, err
	}
	page.Total = len(list)
	for _, key := range list {
		if key.Kind != keys.KindStudio {
			page.Own++
			if key.State != policy.KeyRevoked {
				page.Live++
			}
		}
		if !filter.match(key) {
			continue
		}
		row, err := c.keyRow(x, key, plots)
		if err != nil {
			return page, err
		}
		page.Rows = append(page.Rows, row)
	}
	slices.SortStableFunc(page.Rows, func(a, b keyRow) int {
		if order := sorts[filter.Sort](a, b); filter.Down {
			return -order
		} else {
			return order
		}
	})
	return page, nil
}

// keyRow reads what a key used.
func (c *Console) keyRow(x *exchange, key keys.Key, plots plotted) (keyRow, error) {
	usage, err := c.Keys.Usage(x.r.Context(), key.ID)
	if err != nil {
		return keyRow{}, err
	}
	now := c.Now()
	row := keyRow{Key: key, Bars: bars(usage, now), Spent: usage.TIKSpent.String(), Plot: plots.of(key.ID)}
	if key.LastUsedAt != nil {
		row.LastUsed = ago(now, *key.LastUsedAt)
	}
	return row, nil
}

// bar is a limit and what is used of it.
type bar struct {
	Name    string // "Jobs today"
	Used    string
	Limit   string // "" for unlimited
	Percent int    // 0 to 100, of Limit
	Level   string // low, high or full
	Resets  string // "" for what doesn't
	At      time.Time
}

// Text says the bar in words.
func (b bar) Text() string {
	if b.Limit == "" {
		return b.Used + ", no limit"
	}
	return b.Used + " of " + b.Limit
}

// bars returns the four limits in the order in which they are checked.
func bars(u keys.Usage, now time.Time) []bar {
	return []bar{
		newBar("Jobs today", u.JobsToday, u.Limits.JobsPerDay, now, u.DayResetsAt),
		newBar("Jobs this month", u.JobsThisMonth, u.Limits.JobsPerMonth, now, u.MonthResetsAt),
		newBar("Running now", u.RunningJobs, u.Limits.MaxConcurrentJobs, now, time.Time{}),
		newBar("TIK this month", u.TIKThisMonth, u.Limits.TIKPerMonth, now, u.MonthResetsAt),
	}
}

// newBar makes a bar of an amount that prints as people read it.
func newBar[N ~int64](name string, used N, limit *N, now, resets time.Time) bar {
	b := bar{Name: name, Used: fmt.Sprint(used), Level: "low", At: resets}
	if !resets.IsZero() {
		b.Resets = until(now, resets)
	}
	if limit == nil {
		return b
	}
	b.Limit = fmt.Sprint(*limit)
	switch {
	case used >= *limit:
		b.Percent, b.Level = 100, "full"
	default:
		b.Percent = int(float64(used) / float64(*limit) * 100)
		if b.Percent >= 80 {
			b.Level = "high"
		}
	}
	return b
}
