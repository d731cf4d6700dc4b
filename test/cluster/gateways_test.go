package cluster

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/svc-games/svc/sidecar/store/postgrestest"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
	"github.com/svc-games/svc/test/rig/script"
	"github.com/svc-games/svc/test/wait"
)

func TestFiveGatewaysAcceptExactlyTheLimit(t *testing.T) {
	t.Parallel()
	const gateways, limit, clients = 5, 5, 50
	rounds := 5
	if long.Asked() {
		rounds = 20
	}
	for name, store := range map[string]func(t *testing.T) string{
		"SQLite":     func(*testing.T) string { return "" },
		"PostgreSQL": func(t *testing.T) string { return postgrestest.URL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := rig.LaunchCluster(t, gateways, store(t), script.Engine{})
			first := c.Gateways[0]
			first.NewUser("alice", "1000000")
			project := first.NewProject(first.NewKey("alice"))
			warm := first.NewKey("alice")
			first.Finish(warm, first.Generate(warm, project))
			for round := range rounds {
				// A user has at most twenty keys: each round one of another user.
				user := fmt.Sprintf("user%d", round)
				first.NewUser(user, "1000000")
				key := first.NewKey(user, "--jobs-per-month", fmt.Sprint(limit))
				project := first.NewProject(key)
				var accepted, refused atomic.Int64
				var wg sync.WaitGroup
				for client := range clients {
					g, once := c.Gateways[client%gateways], rand.Text()
					wg.Go(func() {
						for {
							a, err := g.Submit(t.Context(), key, project, "Idempotency-Key", once)
							switch {
							case err != nil:
								t.Error(err)
							case a.Status == http.StatusServiceUnavailable: // the engine starts
								continue
							case a.Status == http.StatusGatewayTimeout, a.Status == http.StatusConflict: // it may have the job
								continue
							case a.Status == http.StatusOK:
								accepted.Add(1)
							case a.Status == http.StatusTooManyRequests && strings.Contains(string(a.Body), `"limit":"jobsPerMonth"`):
								refused.Add(1)
							default:
								t.Errorf("submitting: %d %s", a.Status, a.Body)
							}
							return
						}
					})
				}
				wg.Wait()
				if accepted.Load() != limit || refused.Load() != clients-limit {
					t.Fatalf("round %d: %d accepted and %d refused of %d on a limit of %d", round, accepted.Load(), refused.Load(), clients, limit)
				}
				wait.Until(t, "every slot is free", func() bool { return first.Usage(key).RunningJobs == 0 })
				if u := first.Usage(key); u.JobsThisMonth != limit {
					t.Fatalf("round %d: %d jobs are counted", round, u.JobsThisMonth)
				}
			}
		})
	}
}

func TestSecondGatewayWithEnginesOfItsOwnOnOneStoreIsRefused(t *testing.T) {
	t.Parallel()
	store := "SVC_STORE=" + postgrestest.URL(t)
	first := newStand(t, script.Engine{}, store)
	second := rig.NewMachine(t, "", store)
	if err := second.Start(); err != nil {
		t.Fatal(err)
	}
	wait.For(t, "the second gateway ends", second.Exited())
	for _, want := range []string{"belong to another data directory", ":" + first.Dir, "engines ADDRESS", "svc admin engines release"} {
		if !strings.Contains(second.Log(), want) {
			t.Errorf("the log does not say %q:\n%s", want, second.Log())
		}
	}
	first.anotherJob()
	first.wantFree()
}

// TestAFolderOfAnotherInstallationIsRefusedAndLeftAsItIs: with its volumes, archive, and
// store, on a database whose engines are another folder's.
func TestAFolderOfAnotherInstallationIsRefusedAndLeftAsItIs(t *testing.T) {
	t.Parallel()
	store := "SVC_STORE=" + postgrestest.URL(t)
	newStand(t, script.Engine{}, store)
	other := newStand(t, script.Engine{})
	if err := other.Stop(); err != nil {
		t.Fatal(err)
	}
	other.killEngines()
	before := kept(t, other.Dir)
	other.Env = append(other.Env, store)
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	wait.For(t, "the start is refused", other.Exited())
	if !strings.Contains(other.Log(), "belong to another data directory") {
		t.Errorf("the log does not say why:\n%s", other.Log())
	}
	after := kept(t, other.Dir)
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s was %s and is %s", path, was, after[path])
		}
	}
	other.Env = other.Env[:len(other.Env)-1]
	other.restart(func() {})
	other.anotherJob()
	other.wantFree()
}

// kept lists what a folder keeps for good, files with the sums of what they hold.
func kept(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	for _, name := range []string{"projects", "archive", "svc.db"} {
		if err := filepath.WalkDir(filepath.Join(dir, name), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
				return err
			}
			raw, err := os.ReadFile(path)
			all[path] = fmt.Sprintf("%x", sha256.Sum256(raw))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) < 3 {
		t.Fatalf("nothing is kept: %v", all)
	}
	return all
}
