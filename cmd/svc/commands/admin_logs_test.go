package commands

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/tables"
)

// chargeOneJob runs a job of alice with a key and charges her one TIK for it.
func chargeOneJob(t *testing.T, s *adminService, keyID string) (projectID, jobID string) {
	t.Helper()
	project, err := s.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "game"})
	if err != nil {
		t.Fatal(err)
	}
	jobID = mint.NewJobID(time.Now())
	_, err = s.Reserve(t.Context(), sidecar.Reservation{JobID: jobID, KeyID: keyID, ProjectID: project.ID})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.ApplyFeed(t.Context(), contract.FeedBatch{ProjectID: project.ID, FeedID: "f", Records: []contract.FeedRecord{{
		FeedID: "f", Seq: 1, Kind: contract.FeedUsage, JobID: jobID, Units: []contract.Unit{{Name: "generator.job", Quantity: 1}},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return project.ID, jobID
}

func readCSV(t *testing.T, text string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return rows
}

func TestAdminStatementShowsEveryMovementOfABalance(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice", "--tik", "5")
	one := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", "one").ID
	two := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", "two").ID
	project, job := chargeOneJob(t, s, one)
	s.must(t, "user", "topup", "alice", "0.25")

	const at = "2026-11-20T12:00:00Z"
	rows := readCSV(t, s.must(t, "user", "statement", "alice", "--csv"))
	slices.SortFunc(rows[1:], func(a, b []string) int { return strings.Compare(a[2], b[2]) }) // all at one time
	want := [][]string{
		tables.StatementHeader,
		{at, "charge", "-1", rows[1][3], one, project, job, "1 generator.job"},
		{at, "credit", "0.25", rows[2][3], "", "", "", ""},
		{at, "credit", "5", rows[3][3], "", "", "", ""},
	}
	if len(rows) != len(want) || !slices.EqualFunc(rows, want, slices.Equal) {
		t.Errorf("CSV %q, want %q", rows, want)
	}
	st := decodeAdmin[keys.Statement](t, s, "user", "statement", "alice", "--key", one)
	if len(st.Entries) != 1 || st.Entries[0].JobID != job || st.Entries[0].TIK != -api.MicroPerTIK || st.Balance.String() != "4.25" {
		t.Errorf("statement of the key %+v", st)
	}
	if st = decodeAdmin[keys.Statement](t, s, "user", "statement", "alice", "--key", two); len(st.Entries) != 0 {
		t.Errorf("statement of the other key %+v", st)
	}
	people := s.must(t, "user", "statement", "alice")
	for _, want := range []string{
		`(?m)^AT +KIND +TIK +SUM +KEY +PROJECT +JOB +UNITS$`,
		`(?m)^2026-11-20 12:00 UTC +charge +-1 +\S+ +key_\w+ +[0-9a-f]{24} +job_\w+ +1 generator.job$`,
		`(?m)^balance now: 4.25 TIK$`,
	} {
		if !regexp.MustCompile(want).MatchString(people) {
			t.Errorf("no %q in\n%s", want, people)
		}
	}
}

func TestAdminUsageIsExportedAsCSV(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice", "--tik", "5")
	id := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", `=1+1, "x"`,
		"--jobs-per-day", "4", "--tik-per-month", "2.5").ID
	other := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", "other").ID
	chargeOneJob(t, s, id)
	rows := readCSV(t, s.must(t, "key", "usage", "--csv"))
	if len(rows) != 3 || !slices.Equal(rows[0], tables.UsageHeader) {
		t.Fatalf("rows %q", rows)
	}
	byKey := map[string][]string{rows[1][0]: rows[1], rows[2][0]: rows[2]}
	masked := byKey[id][3]
	want := []string{
		id, `'=1+1, "x"`, "alice", masked, "active", "1", "4", "1", "", "1", "", "1", "2.5", "1",
		"2026-11-21T00:00:00Z", "2026-12-01T00:00:00Z",
	}
	if !slices.Equal(byKey[id], want) {
		t.Errorf("row %q, want %q", byKey[id], want)
	}
	if one := readCSV(t, s.must(t, "key", "usage", other, "--csv")); len(one) != 2 || one[1][0] != other || one[1][5] != "0" {
		t.Errorf("one key: %q", one)
	}
}

func TestAdminAuditShowsWhoChangedWhat(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice")
	s.must(t, "user", "create", "bob")
	id := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", "ci").ID
	s.must(t, "key", "rename", id, "build")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{nil, "key.rename key.create user.create user.create"},
		{[]string{"--key", id}, "key.rename key.create"},
		{[]string{"--user", "alice"}, "key.rename key.create user.create"},
		{[]string{"--user", "bob"}, "user.create"},
		{[]string{"--user", "alice", "--limit", "1"}, "key.rename"},
		{[]string{"--user", "nobody"}, ""},
	} {
		var actions []string
		for _, e := range decodeAdmin[[]keys.AuditEntry](t, s, append([]string{"audit"}, tc.args...)...) {
			actions = append(actions, e.Action)
			if !strings.HasPrefix(e.Actor, "uid:") || e.At.IsZero() || !json.Valid(e.Detail) {
				t.Errorf("entry %+v", e)
			}
		}
		if got := strings.Join(actions, " "); got != tc.want {
			t.Errorf("audit %v: %s, want %s", tc.args, got, tc.want)
		}
	}
	people := s.must(t, "audit", "--key", id)
	if !regexp.MustCompile(`(?m)^4 +2026-11-20 12:00 UTC +uid:\d+ +key.rename +key_\w+ +\{"from":"ci","to":"build"\}$`).MatchString(people) {
		t.Errorf("audit:\n%s", people)
	}
}

func TestAdminLogsRefuseWhatIsNotThere(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice")
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"user", "statement", "bob"}, "there is no user bob"},
		{[]string{"user", "statement", "alice", "--key", "key_x"}, "there is no key key_x"},
		{[]string{"user", "statement", "alice", "--csv", "--json"}, "exclude each other"},
		{[]string{"key", "usage", "--csv", "--json"}, "exclude each other"},
		{[]string{"audit", "--limit", "-1"}, "can't be negative"},
		{[]string{"audit", "--key", "k", "--user", "u"}, "none of the others can be"},
	} {
		if code, stdout, stderr := s.run(tc.args...); code == exitOK || stdout != "" || !strings.Contains(stderr, tc.want) {
			t.Errorf("svc admin %s: exit %d, printed %q and %q; want %q", strings.Join(tc.args, " "), code, stdout, stderr, tc.want)
		}
	}
}
