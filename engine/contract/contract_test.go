package contract_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/engine/contract"
	"github.com/svc-games/svc/engine/gen/gentest"
	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/programs"
)

var (
	foreign = flag.String("engine", "", "`command` line of the engine to try, in place of svc-engine")
	stuck   = flag.String("stuck", "", "environment `variable` that makes its work last until its time is up, which is the variable's value")
	every   = flag.Bool("every", false, "kill the engine before each of its writes, not the first and last of each kind that changes something")
)

func TestMain(m *testing.M) {
	contract.MainIfAsked()
	os.Exit(m.Run())
}

// slack is what a machine that is busy with other tests adds to a limit.
const slack = 20 * time.Second

func TestReferenceEngineKeepsTheContract(t *testing.T) {
	if *foreign != "" {
		t.Skip("another engine is tried")
	}
	if testing.Short() {
		t.Skip("short: no engine is started")
	}
	contract.Run(t, contract.Target{
		Command: svcEngine(t), Slack: slack, EveryWrite: *every || long.Asked(), AsksModels: true,
		Stuck: []string{"SVC_ENGINE_STUCK=1s"}, StuckFor: time.Second,
	})
}

func TestForeignEngineKeepsTheContract(t *testing.T) {
	if *foreign == "" {
		t.Skip("-engine names the command line of one")
	}
	target := contract.Target{Command: strings.Fields(*foreign), EveryWrite: *every}
	if *stuck != "" {
		target.Stuck, target.StuckFor = []string{*stuck + "=3s"}, 3*time.Second
	}
	contract.Run(t, target)
}

// svcEngine returns the command line of svc-engine. The suite looks at no game, so
// words in place of the frameworks.
func svcEngine(t *testing.T) []string {
	t.Helper()
	return []string{programs.Build(t, "cmd/svc-engine"), "--frameworks", gentest.Frameworks(t)}
}
