package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/durable"
)

// installationFile holds the name of the data directory, relative to StatesDir.
const installationFile = "installation"

// Identify returns what names the data directory. A new one takes the given name.
func (l Layout) Identify(name string) (contract.Installation, error) {
	path := filepath.Join(l.states(), installationFile)
	raw, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return contract.Installation{}, fmt.Errorf("naming the installation: %w", err)
	}
	if kept := strings.TrimSpace(string(raw)); kept != "" {
		name = kept
	} else if err := durable.Replace(path, []byte(name)); err != nil {
		return contract.Installation{}, fmt.Errorf("naming the installation: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return contract.Installation{}, fmt.Errorf("naming the installation: %w", err)
	}
	return contract.Installation{ID: name, Place: host + ":" + l.Root}, nil
}
