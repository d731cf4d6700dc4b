package e2e

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"
)

// TestFactsOfUsersAndKeysAreAsTheDocumentSays runs the commands of docs/policy.md,
// section "Two facts that need no change", and looks at what bob may do at each stage.
func TestFactsOfUsersAndKeysAreAsTheDocumentSays(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	r := &reviewer{service: s, bob: s.newKey("bob"), dir: t.TempDir()}
	r.project = s.newProject(r.bob)
	const refused = "svc policy log --who bob --refused --since 1h"
	r.walk(filepath.Join(root(t), "docs", "policy.md"), "## Two facts that need no change", map[string]stage{
		"svc admin user suspend bob": {says: "suspended", after: func() { r.bobGets(http.StatusForbidden) }},
		refused:                      {says: "user.suspended"},
		"svc admin user resume bob": {says: "active", after: func() {
			r.bobGets(http.StatusOK)
			var reader apiKey
			s.decode([]byte(s.svc("admin", "key", "create", "--user", "bob", "--name", "reader", "--scope", "read", "--json")), &reader)
			look, change := r.may(reader, "GET", "/v1/projects/"+r.project, nil), r.may(reader, "DELETE", "/v1/projects/"+r.project, nil)
			if look != http.StatusOK || change != http.StatusForbidden {
				t.Errorf("the read-only key gets %d and %d", look, change)
			}
		}},
		"svc admin key create --user bob --name board --scope read --label team=arcade": {says: "team=arcade"},
		"svc policy log --who bob --rule key.scope --since 1h":                          {says: "projects.delete"},
		"svc admin audit --user bob":                                                    {says: "user.suspend"},
	})
	var list []struct{ Name string }
	if err := json.Unmarshal([]byte(s.svc("admin", "key", "list", "--user", "bob", "--json")), &list); err != nil || len(list) != 3 {
		t.Errorf("bob has %+v, %v", list, err)
	}
}
