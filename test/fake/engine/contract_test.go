package fakeengine_test

import (
	"os"
	"testing"
	"time"

	"github.com/svc-games/svc/engine/contract"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
	"github.com/svc-games/svc/test/programs"
)

func TestMain(m *testing.M) {
	contract.MainIfAsked()
	os.Exit(m.Run())
}

func TestFakeEngineKeepsTheContract(t *testing.T) {
	contract.Run(t, contract.Target{
		Command: []string{programs.Build(t, fakeengine.Folder)}, Slack: 20 * time.Second,
		Stuck: []string{"SVC_FAKE_ENGINE_STUCK=3s"}, StuckFor: 3 * time.Second,
	})
}
