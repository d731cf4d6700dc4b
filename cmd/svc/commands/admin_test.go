package commands

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/decisionlog"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/activation"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/service"
	"github.com/svc-games/svc/sidecar/store/storetest"
)

// adminService is a service on a data directory of its own.
type adminService struct {
	*service.Service
	dir    string
	engine *activation.Engine
}

func startAdminService(t *testing.T) *adminService {
	t.Helper()
	return startAdminServiceWith(t, activation.Options{})
}

// startAdminServiceWith starts one that records its decisions where the policy has a
// threshold.
func startAdminServiceWith(t *testing.T, o activation.Options) *adminService {
	t.Helper()
	dir, err := os.MkdirTemp("", "svc") // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	o.DataDir = dir
	if o.Threshold > 0 {
		if o.Log, err = decisionlog.Open(decisionlog.Options{Path: filepath.Join(dir, decisionlog.FileName), Sample: 1}); err != nil {
			t.Fatal(err)
		}
	}
	engine, err := activation.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	noon := func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	storetest.SQLite(t, filepath.Join(dir, "svc.db"))
	s, err := service.Open(t.Context(), service.Options{DataDir: dir, Policy: engine, Now: noon, DecisionTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	server, err := admin.Start(
		peer.ServerOptions{Address: peer.Address{Network: "unix", Name: filepath.Join(dir, admin.SocketFile)}},
		admin.Parts{Access: s.Door, Keys: s.Keys(), Projects: s.Catalog, Ledger: s.Ledger, Policy: engine, Sessions: s.Sessions()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, err := range []error{server.Close(), s.Close(), engine.Close(), os.RemoveAll(dir)} {
			if err != nil {
				t.Error(err)
			}
		}
	})
	return &adminService{s, dir, engine}
}

// run runs svc admin on the service's data directory.
func (s *adminService) run(args ...string) (code int, stdout, stderr string) {
	return runAdmin(append(args, "--data-dir", s.dir)...)
}

func runAdmin(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = Execute(append([]string{"admin"}, args...), strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// must runs a command that has to succeed and returns what it printed.
func (s *adminService) must(t *testing.T, args ...string) string {
	t.Helper()
	code, stdout, stderr := s.run(args...)
	if code != exitOK {
		t.Fatalf("svc admin %s: exit %d: %s", strings.Join(args, " "), code, stderr)
	}
	return stdout
}

// decodeAdmin reads the --json output of a command that has to succeed.
func decodeAdmin[T any](t *testing.T, s *adminService, args ...string) T {
	t.Helper()
	var into T
	out := s.must(t, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &into); err != nil {
		t.Fatalf("svc admin %s printed %q: %v", strings.Join(args, " "), out, err)
	}
	return into
}

func TestAdminManagesAUserAndAKeyFromCreationToRevocation(t *testing.T) {
	s := startAdminService(t)
	user := decodeAdmin[keys.User](t, s, "user", "create", "alice", "--tik", "1000")
	if user.ID != "alice" || user.Balance != 1000*api.MicroPerTIK {
		t.Errorf("user %+v", user)
	}
	if user = decodeAdmin[keys.User](t, s, "user", "topup", "alice", "0.5"); user.Balance.String() != "1000.5" {
		t.Errorf("balance %s", user.Balance)
	}
	created := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", "ci",
		"--jobs-per-day", "10", "--jobs-per-month", "100", "--max-concurrent-jobs", "2", "--tik-per-month", "12.5")
	hash, ok := mint.ParseKey(created.Secret)
	if !ok || created.ID == "" || !strings.HasSuffix(created.Secret, created.Masked[len(created.Masked)-4:]) {
		t.Errorf("key %+v", created)
	}
	if who, err := s.Authenticate(t.Context(), hash); err != nil || who.KeyID != created.ID {
		t.Errorf("the secret is %+v's, %v", who, err)
	}

	id := created.ID
	if key := decodeAdmin[keys.Key](t, s, "key", "rename", id, "build"); key.Name != "build" {
		t.Errorf("renamed %+v", key)
	}
	for _, step := range []struct{ command, state string }{
		{"disable", policy.KeyDisabled}, {"enable", policy.KeyActive}, {"revoke", policy.KeyRevoked},
	} {
		if key := decodeAdmin[keys.Key](t, s, "key", step.command, id); key.State != step.state {
			t.Errorf("%s: %+v", step.command, key)
		}
	}
	if list := decodeAdmin[[]keys.Key](t, s, "key", "list", "--user", "alice"); len(list) != 1 || list[0].State != policy.KeyRevoked {
		t.Errorf("list %+v", list)
	}
	if list := decodeAdmin[[]keys.Key](t, s, "key", "list", "--user", "bob"); list == nil || len(list) != 0 {
		t.Errorf("list of bob %+v, want an empty one", list)
	}
	if out := s.must(t, "key", "list", "--json"); strings.Contains(out, "secret") {
		t.Errorf("a list shows secrets: %s", out)
	}
}

func TestAdminLimitsChangesOnlyWhatIsGiven(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice")
	id := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", "ci", "--jobs-per-day", "10", "--tik-per-month", "5").ID
	key := decodeAdmin[keys.Key](t, s, "key", "limits", id, "--jobs-per-day", "unlimited", "--max-concurrent-jobs", "3")
	if key.Limits.JobsPerDay != nil || *key.Limits.MaxConcurrentJobs != 3 || key.Limits.TIKPerMonth.String() != "5" {
		t.Errorf("limits %+v", key.Limits)
	}
	if key = decodeAdmin[keys.Key](t, s, "key", "limits", id, "--tik-per-month", ""); key.Limits.TIKPerMonth != nil {
		t.Errorf("limits %+v", key.Limits)
	}
}

func TestAdminUsageShowsWhatWasUsed(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice")
	id := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", "ci", "--jobs-per-day", "4").ID
	project, err := s.CreateProject(t.Context(), "alice", api.ProjectRequest{Name: "game"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Reserve(t.Context(), sidecar.Reservation{JobID: mint.NewJobID(time.Now()), KeyID: id, ProjectID: project.ID})
	if err != nil {
		t.Fatal(err)
	}
	usage := decodeAdmin[map[string]any](t, s, "key", "usage", id)
	for name, want := range map[string]any{
		"jobsToday": 1.0, "jobsThisMonth": 1.0, "runningJobs": 1.0, "tikThisMonth": 0.0, "tikSpent": 0.0,
		"dayResetsAt": "2026-11-21T00:00:00Z", "monthResetsAt": "2026-12-01T00:00:00Z",
	} {
		if usage[name] != want {
			t.Errorf("%s is %v, want %v", name, usage[name], want)
		}
	}
	people := s.must(t, "key", "usage")
	for _, want := range []string{
		`jobs today +1 of 4 +█{5}░{15} +resets 2026-11-21 00:00 UTC`,
		`jobs this month +1 of unlimited`,
		`(?m)^TIK in all +0$`,
	} {
		if !regexp.MustCompile(want).MatchString(people) {
			t.Errorf("no %q in\n%s", want, people)
		}
	}
}

func TestAdminTablesAreForPeople(t *testing.T) {
	s := startAdminService(t)
	if out := s.must(t, "user", "create", "alice", "--tik", "7"); !regexp.MustCompile(`(?m)^balance +7 TIK$`).MatchString(out) {
		t.Errorf("user:\n%s", out)
	}
	code, out, hint := s.run("key", "create", "--user", "alice", "--name", "ci")
	if code != exitOK || !regexp.MustCompile(`(?m)^secret +sk-\w{49}$`).MatchString(out) || !strings.Contains(hint, "only now") {
		t.Errorf("exit %d:\n%s%s", code, out, hint)
	}
	list := s.must(t, "key", "list")
	if !regexp.MustCompile(`(?m)^key_\w+ +alice +ci +sk-..\*{4}.... +active +unlimited .*never$`).MatchString(list) {
		t.Errorf("list:\n%s", list)
	}
}

func TestAdminErrorsSayWhatToDo(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "alice")
	id := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "alice", "--name", "ci").ID
	for _, tc := range []struct {
		args []string
		want string
	}{
		{[]string{"user", "create", "alice"}, "exists already: top it up with svc admin user topup alice N"},
		{[]string{"user", "show", "bob"}, "create the user with svc admin user create bob"},
		{[]string{"user", "topup", "bob", "5"}, "create the user with svc admin user create bob"},
		{[]string{"user", "statement", "bob"}, "create the user with svc admin user create bob"},
		{[]string{"user", "statement", "alice", "--key", "key_x"}, "list the keys with svc admin key list"},
		{[]string{"user", "suspend", "bob"}, "create the user with svc admin user create bob"},
		{[]string{"user", "attributes", "bob", "plan=school"}, "create the user with svc admin user create bob"},
		{[]string{"user", "attributes", "alice", "plan"}, "is not of the form NAME=VALUE"},
		{[]string{"user", "attributes", "alice", "a b=c"}, "is not acceptable"},
		{[]string{"user", "resume", "alice"}, "active already"},
		{[]string{"user", "topup", "alice", "-5"}, "unknown shorthand flag"},
		{[]string{"user", "topup", "alice", "much"}, "not an amount of TIK"},
		{[]string{"user", "topup", "alice", "5", "--reference", "two words"}, "the reference"},
		{[]string{"key", "create", "--user", "bob", "--name", "x"}, "svc admin user create bob"},
		{[]string{"key", "create", "--user", "alice"}, "name"},
		{[]string{"key", "create"}, `"name", "user"`},
		{[]string{"key", "create", "--user", "alice", "--name", "x", "--jobs-per-day", "1.5"}, "whole number"},
		{[]string{"key", "create", "--user", "alice", "--name", "x", "--jobs-per-day", "-1"}, "whole number"},
		{[]string{"key", "show", "key_x"}, "list the keys with svc admin key list"},
		{[]string{"key", "limits", id}, "name at least one"},
		{[]string{"key", "enable", id}, "active already"},
		{[]string{"key", "disabel", id}, "unknown command"},
	} {
		code, stdout, stderr := s.run(tc.args...)
		if code == exitOK || stdout != "" || !strings.Contains(stderr, tc.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("svc admin %s: exit %d, printed %q and %q; want one line with %q",
				strings.Join(tc.args, " "), code, stdout, stderr, tc.want)
		}
	}
}

func TestAdminWithoutAServiceSaysHowToStartIt(t *testing.T) {
	code, _, stderr := runAdmin("key", "list", "--data-dir", t.TempDir())
	if code != exitError || !strings.Contains(stderr, "make run") {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestAdminFindsTheDataDirectoryInTheEnvironment(t *testing.T) {
	s := startAdminService(t)
	t.Setenv("SVC_DATA_DIR", s.dir)
	if code, _, stderr := runAdmin("user", "create", "alice"); code != exitOK {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestWhatUsersTypedDoesNotDriveAnAdminsTerminal(t *testing.T) {
	s := startAdminService(t)
	s.must(t, "user", "create", "mallory")
	id := decodeAdmin[keys.Created](t, s, "key", "create", "--user", "mallory", "--name", "a\u202eb").ID
	if _, err := s.CreateProject(t.Context(), "mallory", api.ProjectRequest{Name: "x\x1b[2J\u009b1m\ny\tz"}); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"project", "list"}, {"key", "list"}, {"key", "show", id}, {"key", "usage", id}, {"audit"}} {
		shown := s.must(t, args...)
		if strings.ContainsAny(shown, "\x1b\u009b\u202e\t") {
			t.Errorf("%v: %q", args, shown)
		}
		if args[0] == "project" && strings.Count(shown, "\n") != 2 {
			t.Errorf("a name makes lines of its own: %q", shown)
		}
	}
}
