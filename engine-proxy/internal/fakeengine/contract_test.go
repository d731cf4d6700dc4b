package fakeengine

import (
	"os"
	"testing"
	"time"

	"github.com/svc-games/svc/engine/contract"
)

func TestMain(m *testing.M) {
	contract.MainIfAsked()
	MainIfAsked()
	os.Exit(m.Run())
}

func TestFakeEngineKeepsTheContract(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	contract.Run(t, contract.Target{
		Command: []string{self}, Env: Environ(), Slack: 20 * time.Second,
		Stuck: []string{stuckVariable + "=3s"}, StuckFor: 3 * time.Second,
	})
}
