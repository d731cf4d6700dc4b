package keys

import (
	"strings"
	"testing"

	"github.com/svc-games/svc/sidecar/store/storetest"
)

// TestListsOfOneUserReadNoTableWhole asks SQLite how it would answer what pages
// of the console ask: what is of all users grows for ever.
func TestListsOfOneUserReadNoTableWhole(t *testing.T) {
	s := storetest.Open(t, storetest.Databases[0].New(t))
	for name, ask := range map[string]func() (string, []any){
		"the log of a user":          func() (string, []any) { return auditQuery("", "alice", 0) },
		"the log of a key":           func() (string, []any) { return auditQuery("key_1", "", 0) },
		"the log of a key of a user": func() (string, []any) { return auditQuery("key_1", "alice", 7) },
		"the keys of a user":         func() (string, []any) { return keysQuery("alice") },
	} {
		query, args := ask()
		steps := storetest.Plan(t, s, query, args...)
		index := "USING INDEX audit_by_subject (subject=? AND seq<?)"
		if strings.Contains(name, "keys") {
			index = "USING INDEX keys_by_user (user_id=?)"
		}
		if !strings.Contains(steps, index) || strings.Contains(steps, "SCAN audit") || strings.Contains(steps, "SCAN keys") || strings.Contains(steps, "SCAN projects") {
			t.Errorf("%s: no index, or a table that is read whole:\n%s", name, steps)
		}
	}
}
