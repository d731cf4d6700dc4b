package e2e

import "strings"

// gatewayNeedsNoDocker: whoever may use the Docker socket is root, so the process
// that faces the internet does without when the engine proxy is on its own.
func (s docked) gatewayNeedsNoDocker() {
	s.startParts()
	s.env = []string{"DOCKER_HOST=unix:///nonexistent"} // the gateway's
	s.start()
	s.makeGame()
	if strings.Contains(s.log.String(), "holds the Docker socket") {
		s.t.Error("the gateway says that it holds the Docker socket")
	}
}
