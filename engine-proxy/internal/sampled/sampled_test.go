package sampled

import (
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

func TestEngineDoesNotFloodTheLog(t *testing.T) {
	core, logs := observer.New(zap.DebugLevel)
	noisy, other := Logger(zap.New(core)), Logger(zap.New(core))
	const lines = 5000
	for range lines {
		noisy.Warn("feed was interrupted")
	}
	// A minute may turn meanwhile, with which the count begins anew.
	if n := logs.Len(); n < first || n > 2*(first+lines/thereafter) {
		t.Errorf("%d of %d lines of one engine", n, lines)
	}
	before := logs.Len()
	other.Warn("feed was interrupted")
	noisy.Error("engine's result was refused")
	if n := logs.Len() - before; n != 2 {
		t.Errorf("%d of two lines of another engine, and with another message", n)
	}
}
