package play

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// SecretFile is where the secret lies, in the data directory. Sidecars that share a
// store share it.
const SecretFile = "secrets/play"

// minSecret is the shortest secret that is taken, in bytes.
const minSecret = 32

// Secret returns what reads the secret of a data directory, and makes it when it is not
// there.
func Secret(dir string) func() ([]byte, error) {
	path := filepath.Join(dir, SecretFile)
	return sync.OnceValues(func() ([]byte, error) {
		secret, err := readSecret(path)
		if !errors.Is(err, fs.ErrNotExist) {
			return secret, err
		}
		if err := makeSecret(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("making the secret of plays: %w", err)
		}
		return readSecret(path)
	})
}

func readSecret(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("reading the secret of plays: %w", err)
	}
	secret := []byte(strings.TrimSpace(string(text)))
	if len(secret) < minSecret {
		return nil, fmt.Errorf("reading the secret of plays: %s has less than %d characters", path, minSecret)
	}
	return secret, nil
}

// makeSecret makes the file whole or not at all.
func makeSecret(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".play")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	_, err = f.WriteString(hex.EncodeToString(random[:]) + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path) // of two that make it at once one wins
}
