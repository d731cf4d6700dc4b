package admin

import (
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
	"github.com/svc-games/svc/policy/policytest"
)

// policyFiles reads a policy: the one at path, or for "" the shipped one.
func policyFiles(t *testing.T, path string) bundle.Snapshot {
	t.Helper()
	src := policy.Embedded()
	if path != "" {
		src = os.DirFS(path)
	}
	files, err := bundle.ReadDir(src)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestPolicyIsChangedOverTheSocketAndEachChangeIsAudited(t *testing.T) {
	c, _, _ := serve(t)
	ctx := t.Context()
	before, err := c.PolicyStatus(ctx)
	if err != nil || before.Degraded || len(before.Generations) != 1 {
		t.Fatalf("status %+v, %v", before, err)
	}
	candidate, err := c.ShadowPolicy(ctx, policyFiles(t, policytest.Example(t)), "readers", 0.5)
	if err != nil || candidate.Sample != 0.5 || candidate.Revision == before.Active.Revision {
		t.Errorf("candidate %+v, %v", candidate, err)
	}
	if report, err := c.ShadowReport(ctx); err != nil || report.Revision != candidate.Revision {
		t.Errorf("report %+v, %v", report, err)
	}
	var refused *Error
	if _, err := c.ActivatePolicy(ctx, policyFiles(t, policytest.Example(t)), "readers", "another", false); !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Errorf("compared with a policy that is not active any more: %v", err)
	}
	active, err := c.ActivatePolicy(ctx, policyFiles(t, policytest.Example(t)), "readers", before.Active.Revision, false)
	if err != nil || active.Revision != candidate.Revision || !strings.HasPrefix(active.ActivatedBy, "uid:") || active.Source != "upload of readers" {
		t.Errorf("activated %+v, %v", active, err)
	}
	if files, err := c.PolicyFiles(ctx, ""); err != nil || files.Digest() != policyFiles(t, policytest.Example(t)).Digest() {
		t.Errorf("%d files, %v", len(files), err)
	}
	if files, err := c.PolicyFiles(ctx, before.Active.Revision); err != nil || files.Digest() != policyFiles(t, "").Digest() {
		t.Errorf("%d files of the policy before, %v", len(files), err)
	}
	if _, err := c.RollBackPolicy(ctx, "", before.Active.Revision); !errors.As(err, &refused) || refused.Status != http.StatusConflict {
		t.Errorf("rolled back from a policy that is not active any more: %v", err)
	}
	back, err := c.RollBackPolicy(ctx, "", active.Revision)
	if err != nil || back.Revision != before.Active.Revision {
		t.Errorf("rolled back to %+v, %v", back, err)
	}
	if last, err := c.EndShadow(ctx); err != nil || last.Revision != candidate.Revision {
		t.Errorf("last report %+v, %v", last, err)
	}
	log, err := c.Audit(ctx, "", "", 0)
	if err != nil {
		t.Fatal(err)
	}
	var changes []string
	for _, entry := range log.Entries {
		if !strings.HasPrefix(entry.Actor, "uid:") || entry.At.IsZero() {
			t.Errorf("entry %+v", entry)
		}
		changes = append(changes, entry.Action+" "+entry.Subject)
	}
	want := []string{
		"policy.shadow.end " + active.Revision, "policy.rollback " + before.Active.Revision, "policy.activate " + active.Revision, "policy.shadow " + active.Revision,
	}
	if strings.Join(changes, "\n") != strings.Join(want, "\n") {
		t.Errorf("the audit log has %q, want %q", changes, want)
	}
}

func TestPolicyThatIsRefusedIsAnsweredWithStepAndAdvice(t *testing.T) {
	c, _, _ := serve(t)
	broken := policyFiles(t, "")
	broken["svc/key/key.rego"] = []byte("package svc.key\n\nstate := {\n")
	refused := func(err error, status int, words ...string) {
		t.Helper()
		var refusal *Error
		if !errors.As(err, &refusal) || refusal.Status != status {
			t.Errorf("got %v, want status %d", err, status)
			return
		}
		for _, word := range words {
			if !strings.Contains(refusal.Message, word) {
				t.Errorf("%q does not say %q", refusal.Message, word)
			}
		}
	}
	_, err := c.ActivatePolicy(t.Context(), broken, "x", "", false)
	refused(err, http.StatusUnprocessableEntity, "step compile", "svc/key/key.rego:4", "svc policy verify")
	_, err = c.ShadowPolicy(t.Context(), broken, "x", 1)
	refused(err, http.StatusUnprocessableEntity, "step compile")
	_, err = c.ShadowPolicy(t.Context(), policyFiles(t, ""), "x", 7)
	refused(err, http.StatusBadRequest, "sample")
	_, err = c.RollBackPolicy(t.Context(), "0123456789", "")
	refused(err, http.StatusNotFound, "0123456789")
	_, err = c.PolicyFiles(t.Context(), "0123456789")
	refused(err, http.StatusNotFound)
	_, err = c.ShadowReport(t.Context())
	refused(err, http.StatusNotFound, "no policy is in shadow")
	_, err = c.EndShadow(t.Context())
	refused(err, http.StatusNotFound)
	var into any
	refused(c.send(t.Context(), http.MethodPost, "/policy/activate", []byte("no bundle"), &into), http.StatusBadRequest, ".tar.gz")
	refused(c.send(t.Context(), http.MethodPost, "/policy/rollback", []byte(`{"revison": "x"}`), &into), http.StatusBadRequest, "revison")
	if log, err := c.Audit(t.Context(), "", "", 0); err != nil || len(log.Entries) != 0 {
		t.Errorf("audit log %+v, %v: what was refused did not happen", log.Entries, err)
	}
}

func TestAttributesAreSetOverTheSocket(t *testing.T) {
	c, server, _ := serve(t)
	if _, err := c.CreateUser(t.Context(), "alice", 0); err != nil {
		t.Fatal(err)
	}
	p, err := server.projects.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "duck", Template: api.TemplateBlank})
	if err != nil {
		t.Fatal(err)
	}
	bob := "bob"
	set, err := c.SetAttributes(t.Context(), p.ID, map[string]*string{"readers": &bob}, false)
	if err != nil || set.Attributes["readers"] != bob || set.OwnerID != "alice" {
		t.Errorf("set %+v, %v", set, err)
	}
	if user, err := c.SetUserAttributes(t.Context(), "alice", map[string]*string{"plan": &bob}); err != nil || user.Attributes["plan"] != bob {
		t.Errorf("set %+v, %v", user, err)
	}
	if shown, err := c.User(t.Context(), "alice"); err != nil || shown.Attributes["plan"] != bob {
		t.Errorf("user %+v, %v", shown, err)
	}
	if shown, err := c.Project(t.Context(), p.ID); err != nil || shown.Attributes["readers"] != bob || shown.Name != "duck" {
		t.Errorf("project %+v, %v", shown, err)
	}
	if page, err := c.Projects(t.Context(), "", ""); err != nil || len(page.Projects) != 1 || page.Next != "" {
		t.Errorf("projects %+v, %v", page, err)
	}
	log, err := c.Audit(t.Context(), "", "", 0)
	if err != nil || log.Entries[0].Action != "user.attributes" || log.Entries[1].Action != "project.attributes" || log.Entries[1].Subject != p.ID {
		t.Errorf("audit log %+v, %v", log.Entries, err)
	}
	for id, status := range map[string]int{p.ID: http.StatusBadRequest, "000000000000000000000000": http.StatusNotFound} {
		set := map[string]*string{"readers": nil}
		if status == http.StatusBadRequest {
			set = map[string]*string{"not a name": nil}
		}
		var refusal *Error
		if _, err := c.SetAttributes(t.Context(), id, set, false); !errors.As(err, &refusal) || refusal.Status != status {
			t.Errorf("%s: got %v, want status %d", id, err, status)
		}
	}
}
