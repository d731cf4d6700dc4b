package console

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/projects"
	"github.com/svc-games/svc/sidecar/sessions"
)

// auditPage is a part of what was done to a user and the user's keys and
// projects, newest first.
type auditPage struct {
	Rows   []auditRow
	Before int64
	Next   int64
}

// auditRow is an entry as people read it.
type auditRow struct {
	At      time.Time
	Who     string
	What    string
	Subject string
	Key     string // the id of the key that it is about, "" for another thing
	Project string // the same of a project
	Detail  string
}

func (c *Console) showAudit(x *exchange) error {
	// What is no number asks for the newest.
	before, _ := strconv.ParseInt(x.r.URL.Query().Get("before"), 10, 64)
	log, err := c.Keys.Audit(x.r.Context(), "", x.user, before)
	var names map[string]string
	if err == nil {
		names, err = c.keyNames(x)
	}
	if err != nil {
		return err
	}
	return c.show(x, http.StatusOK, "audit", auditPage{Rows: c.auditRows(log.Entries, x.user, names), Before: before, Next: log.Next})
}

// actions are the audit log's names of what was done, in words.
var actions = map[string]string{
	"key.create": "created the key", "key.rename": "renamed the key", "key.limits": "changed the limits of the key",
	"key.disable": "disabled the key", "key.enable": "enabled the key", "key.revoke": "revoked the key",
	projects.ActionAttributes:      "changed the attributes of the project",
	projects.ActionAdminAttributes: "changed the operator's attributes of the project",
	sessions.ActionShare:           "shared a version of the project",
	sessions.ActionUnshare:         "ended a share of the project",
	"user.create":                  "created the account", "user.topup": "topped up the balance",
	"user.suspend": "suspended the account", "user.resume": "resumed the account", "user.attributes": "changed the operator's attributes of the account",
	"console.login_link": "made a sign-in link", "console.sign_in": "signed in",
	"console.sign_out": "signed out", "console.sign_out_everywhere": "signed out everywhere",
}

// auditRows writes entries for a user who has the named keys.
func (c *Console) auditRows(entries []keys.AuditEntry, user string, names map[string]string) []auditRow {
	rows := make([]auditRow, len(entries))
	for i, e := range entries {
		row := auditRow{At: e.At, Who: who(e.Actor, user), What: actions[e.Action], Detail: detail(e)}
		row.What = cmp.Or(row.What, e.Action)
		if name, ok := names[e.Subject]; ok {
			row.Subject, row.Key = name, e.Subject
		}
		if slices.Contains([]string{projects.ActionAttributes, projects.ActionAdminAttributes, sessions.ActionShare, sessions.ActionUnshare}, e.Action) {
			row.Project = e.Subject
		}
		rows[i] = row
	}
	return rows
}

// who names an actor to a user.
func who(actor, user string) string {
	if actor == sessions.Actor(user) {
		return "You"
	}
	if uid, ok := strings.CutPrefix(actor, "uid:"); ok {
		return "Operator (user id " + uid + " on the server)"
	}
	return actor
}

// detail writes an entry's members in one line, in the order of their names.
func detail(e keys.AuditEntry) string {
	var members map[string]any
	if json.Unmarshal(e.Detail, &members) != nil {
		return string(e.Detail)
	}
	nothing := "no limits"
	if e.Action == projects.ActionAttributes || e.Action == projects.ActionAdminAttributes {
		nothing = "none"
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if name != "userId" {
			parts = append(parts, label(name)+": "+value(members[name], nothing))
		}
	}
	return strings.Join(parts, ", ")
}

// labels are the members whose names are not for people.
var labels = map[string]string{
	api.LimitJobsPerDay: "jobs per day", api.LimitJobsPerMonth: "jobs per month", api.LimitMaxConcurrentJobs: "jobs at once",
	api.LimitTIKPerMonth: "TIK per month", "tik": "TIK",
}

// label names a member to people.
func label(name string) string { return cmp.Or(labels[name], name) }

// value writes a member; one without members of its own is nothing.
func value(v any, nothing string) string {
	switch v := v.(type) {
	case nil:
		return "unlimited"
	case string:
		return v
	case map[string]any:
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if v[name] != nil {
				parts = append(parts, label(name)+" "+value(v[name], nothing))
			}
		}
		if len(parts) == 0 {
			return nothing
		}
		return strings.Join(parts, " · ")
	}
	return fmt.Sprint(v)
}
