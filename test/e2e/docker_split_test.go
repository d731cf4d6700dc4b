package e2e

import (
	"strings"
	"testing"
)

// TestGatewayNeedsNoDockerWhenTheEngineProxyIsOnItsOwn: whoever may use the
// Docker socket is root, so the process that faces the internet does without.
func TestGatewayNeedsNoDockerWhenTheEngineProxyIsOnItsOwn(t *testing.T) {
	onlySplit(t)
	s := newDocked(t)
	s.startParts()
	s.env = []string{"DOCKER_HOST=unix:///nonexistent"} // the gateway's
	s.start()
	s.makeGame()
	if strings.Contains(s.log.String(), "holds the Docker socket") {
		t.Error("the gateway says that it holds the Docker socket")
	}
}
