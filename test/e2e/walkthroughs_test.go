package e2e

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/test/long"
)

// TestWalkthroughsAreAsTheDocumentSays runs the commands of the walkthroughs of
// docs/policy.md word for word on one running service, and looks at what alice gets at
// each stage: of one of them and, by the day, of another one, in the long run of all. The
// shared reader's is TestReviewersPathIsAsTheReadmeSays.
func TestWalkthroughsAreAsTheDocumentSays(t *testing.T) {
	f := inOneForm(t)
	s := start(t, f)
	// A key without jobs shows what is decided on a submission, and starts no engine.
	r := &reviewer{service: s, alice: s.newKey("alice", "--jobs-per-day", "0"), dir: t.TempDir()}
	r.project = s.newProject(r.alice)
	r.brief = api.GenerateRequest{ProjectID: r.project, Prompt: "a yellow duck"}
	if err := os.Symlink(filepath.Join(root(t), "policy"), filepath.Join(r.dir, "policy")); err != nil {
		t.Fatal(err)
	}
	document := filepath.Join(root(t), "docs", "policy.md")
	r.walk(document, "## Suspended user", r.suspendedStages())
	others := []struct {
		section string
		stages  func() map[string]stage
	}{{"## Address list", r.addressesStages}, {"## Read-only key", r.boardStages}, {"## Time window", r.hoursStages}}
	if !long.Asked() {
		today := time.Now().UTC().YearDay() % len(others)
		others = others[today : today+1]
	}
	for _, other := range others {
		t.Log(other.section)
		r.walk(document, other.section, other.stages())
	}
}

// through is the way of a policy into service that all walkthroughs have: change is what
// its table and its replay say, and ask has the service decide on a request once more.
func (r *reviewer) through(dir, change string, ask func()) map[string]stage {
	return map[string]stage{
		"svc policy test " + dir:                            {says: " 0 failed"},
		"svc policy diff active " + dir:                     {code: 1, says: change},
		"svc policy replay --policy " + dir + " --since 1h": {code: 1, says: change},
		"svc policy shadow " + dir: {says: "in shadow", after: func() {
			r.eventually("the shadow decided along", func() bool {
				ask()
				report, _ := r.run("svc policy shadow --report")
				return strings.Contains(report, change)
			})
		}},
		"svc policy shadow --report": {says: change},
	}
}

// look is what a key gets for the project, submit for a brief.
func (r *reviewer) look(key apiKey) int {
	r.t.Helper()
	return r.may(key, "GET", "/v1/projects/"+r.project, nil)
}

func (r *reviewer) submitted(key apiKey) (status int, says string) {
	r.t.Helper()
	got := r.call(key, "POST", "/v1/generate", r.brief)
	return got.status, string(got.body)
}

// gets waits until a key gets this for the project.
func (r *reviewer) gets(key apiKey, status int) {
	r.t.Helper()
	r.eventually("the key gets what the policy in force says of the project", func() bool { return r.look(key) == status })
}

func (r *reviewer) suspendedStages() map[string]stage {
	stages := r.through("suspended", "403 user.suspended -> 200 allowed", func() { r.look(r.alice) })
	stages["svc admin user suspend alice"] = stage{says: "suspended", after: func() { r.gets(r.alice, http.StatusForbidden) }}
	stages["svc policy activate suspended --yes"] = stage{says: "active: ", after: func() {
		r.gets(r.alice, http.StatusOK)
		if status, says := r.submitted(r.alice); status != http.StatusForbidden || !strings.Contains(says, "suspended") {
			r.t.Errorf("a suspended user's brief gets %d %s", status, says)
		}
	}}
	stages["svc policy rollback --yes"] = stage{says: "active: ", after: func() { r.gets(r.alice, http.StatusForbidden) }}
	stages["svc admin user resume alice"] = stage{says: "active", after: func() { r.gets(r.alice, http.StatusOK) }}
	return stages
}

func (r *reviewer) boardStages() map[string]stage {
	wall := r.newKey("alice", "--scope", "board")
	stages := r.through("board", "403 key.scope -> 200 allowed", func() { r.look(wall) })
	stages["svc admin key create --user alice --name wall --scope board"] = stage{says: "board", after: func() { r.gets(wall, http.StatusForbidden) }}
	stages["svc policy activate board --yes"] = stage{says: "active: ", after: func() {
		r.gets(wall, http.StatusOK)
		if status, says := r.submitted(wall); status != http.StatusForbidden || !strings.Contains(says, "scopes") {
			r.t.Errorf("a board's brief gets %d %s", status, says)
		}
		if status := r.may(wall, "DELETE", "/v1/projects/"+r.project, nil); status != http.StatusForbidden {
			r.t.Errorf("a board deletes the project: %d", status)
		}
	}}
	stages["svc policy rollback --yes"] = stage{says: "active: ", after: func() { r.gets(wall, http.StatusForbidden) }}
	return stages
}

func (r *reviewer) hoursStages() map[string]stage {
	submits := func(status int, says string) {
		r.t.Helper()
		r.eventually("a brief gets what the policy in force says", func() bool {
			got, text := r.submitted(r.alice)
			return got == status && strings.Contains(text, says)
		})
	}
	const limited, closed = "used all its jobs of today", "takes no jobs at this time"
	stages := r.through("hours", "429 limits.jobs_per_day -> 403 project.closed", func() { r.submitted(r.alice) })
	stages["svc admin project attributes $PROJECT --admin hours=00:00-00:00"] = stage{says: "hours=00:00-00:00", after: func() {
		submits(http.StatusTooManyRequests, limited)
	}}
	stages["svc policy activate hours --yes"] = stage{says: "active: ", after: func() {
		submits(http.StatusForbidden, closed)
		r.gets(r.alice, http.StatusOK)
	}}
	stages["svc admin project attributes $PROJECT --admin hours=00:00-24:00"] = stage{says: "hours=00:00-24:00", after: func() {
		submits(http.StatusTooManyRequests, limited)
	}}
	stages["svc admin project attributes $PROJECT --admin hours=01:00-01:00"] = stage{says: "hours=01:00-01:00", after: func() {
		submits(http.StatusForbidden, closed)
	}}
	stages["svc policy rollback --yes"] = stage{says: "active: ", after: func() { submits(http.StatusTooManyRequests, limited) }}
	return stages
}

func (r *reviewer) addressesStages() map[string]stage {
	stages := r.through("addresses", "200 allowed -> 403 project.elsewhere", func() {
		r.svc("admin", "project", "attributes", r.project, "asked=again") // what is decided by memory is not decided along
		r.look(r.alice)
	})
	const attributes = "svc admin project attributes $PROJECT --admin networks=192.0.2.0/24"
	stages[attributes] = stage{says: "networks=192.0.2.0/24", after: func() { r.gets(r.alice, http.StatusOK) }}
	stages["svc policy activate addresses --yes"] = stage{says: "active: ", after: func() { r.gets(r.alice, http.StatusForbidden) }}
	stages[attributes+",127.0.0.0/8,::1/128"] = stage{says: "127.0.0.0/8", after: func() { r.gets(r.alice, http.StatusOK) }}
	const elsewhere = "svc admin project attributes $PROJECT --admin networks=198.51.100.0/24"
	stages[elsewhere] = stage{says: "networks=198.51.100.0/24", after: func() { r.gets(r.alice, http.StatusForbidden) }}
	stages["svc policy rollback --yes"] = stage{says: "active: ", after: func() { r.gets(r.alice, http.StatusOK) }}
	return stages
}
