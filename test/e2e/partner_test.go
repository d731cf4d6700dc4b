package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/api"
)

// partner lets others than the owner use a project as the owner does.
const partner = `package svc.project

import data.svc.key

# METADATA
# title: Role of a partner
# labels:
#   rule: project.partner
role := "owner" if {
	key.active
	input.key.userId == input.project.attributes.partner
}
`

// TestEngineThatAPartnerWakesIsTheOwners: operators see whose project takes a slot, and the
// owner's slots are counted.
func TestEngineThatAPartnerWakesIsTheOwners(t *testing.T) {
	inEveryForm(t, func(t *testing.T, f form) {
		rules := t.TempDir()
		if err := os.CopyFS(filepath.Join(rules, "svc"), os.DirFS(filepath.Join(root(t), "policy", "svc"))); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(rules, "svc", "project", "partner.rego"), []byte(partner), 0o600); err != nil {
			t.Fatal(err)
		}
		s := start(t, f, "SVC_POLICY="+rules)
		alice, bob := s.newKey("alice"), s.newKey("bob")
		project := s.newProject(alice)
		s.svc("admin", "project", "attributes", project, "partner=bob")
		s.eventually("bob may use the project", func() bool { return s.call(bob, "GET", "/v1/projects/"+project, nil).status == 200 })
		sub := s.generate(bob, project, brief)
		var list []struct {
			ProjectID string `json:"projectId"`
			OwnerID   string `json:"ownerId"`
		}
		s.decode([]byte(s.svc("engines", "list", "--json")), &list)
		if len(list) != 1 || list[0].ProjectID != project || list[0].OwnerID != "alice" {
			t.Errorf("engines %+v, want that of %s for alice", list, project)
		}
		if job := s.finish(bob, sub); job.Status != api.JobCompleted {
			t.Errorf("the job is %s", job.Status)
		}
	})
}
