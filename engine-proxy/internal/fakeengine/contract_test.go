package fakeengine_test

import (
	"testing"
	"time"

	"github.com/svc-games/svc/engine-proxy/internal/fakeengine/program"
	"github.com/svc-games/svc/engine/contract"
)

func TestMain(m *testing.M) {
	contract.MainIfAsked()
	program.Main(m)
}

func TestFakeEngineKeepsTheContract(t *testing.T) {
	contract.Run(t, contract.Target{
		Command: []string{program.Path(t)}, Slack: 20 * time.Second,
		Stuck: []string{"SVC_FAKE_ENGINE_STUCK=3s"}, StuckFor: 3 * time.Second,
	})
}
