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
	"time"
)

// Files of secrets in the data directory, or mounted there. Sidecars that share a store
// share them.
const (
	// TokenFile has a secret of tokens in each of its lines, two at most: the first
	// signs, and both are believed. To rotate, put a new one above, and remove the other
	// once tokens of it have run out, after 12 hours, and what waited on devices with
	// them has come, 72 hours later.
	TokenFile = "secrets/play"
	// PlayersFile has that of players' names. With another one all are new players.
	PlayersFile = "secrets/players"
)

const (
	// minSecret is the shortest secret that is taken, in characters.
	minSecret = 32
	// maxTokenSecrets is how many are believed.
	maxTokenSecrets = 2
	// secretsTime is how long files of secrets are not read again.
	secretsTime = time.Minute
)

// Secrets are the keys of a service, in no log and no error.
type Secrets struct {
	tokens  []string // the first signs
	players string
}

// ReadSecrets returns what reads the secrets of a data directory, now and then again. It
// makes what is not there.
func ReadSecrets(dir string, now func() time.Time) func() (Secrets, error) {
	var (
		mu   sync.Mutex // guards the following
		read time.Time
		last Secrets
	)
	return func() (Secrets, error) {
		mu.Lock()
		defer mu.Unlock()
		if at := now(); last.tokens == nil || at.Sub(read).Abs() >= secretsTime {
			tokens, err := secretsOf(filepath.Join(dir, TokenFile), maxTokenSecrets)
			if err != nil {
				return Secrets{}, fmt.Errorf("the secret of tokens: %w", err)
			}
			players, err := secretsOf(filepath.Join(dir, PlayersFile), 1)
			if err != nil {
				return Secrets{}, fmt.Errorf("the secret of players' names: %w", err)
			}
			last, read = Secrets{tokens, players[0]}, at
		}
		return last, nil
	}
}

// secretsOf returns the lines of a file, which it makes if need be.
func secretsOf(path string, most int) ([]string, error) {
	secrets, err := readSecrets(path, most)
	if !errors.Is(err, fs.ErrNotExist) {
		return secrets, err
	}
	if err := makeSecret(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("making it: %w", err)
	}
	return readSecrets(path, most)
}

func readSecrets(path string, most int) ([]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	secrets := strings.Fields(string(text))
	if len(secrets) == 0 || len(secrets) > most {
		return nil, fmt.Errorf("%s has %d lines, want 1 to %d", path, len(secrets), most)
	}
	for _, secret := range secrets {
		if len(secret) < minSecret {
			return nil, fmt.Errorf("%s has a line of less than %d characters", path, minSecret)
		}
	}
	return secrets, nil
}

// makeSecret makes the file whole or not at all.
func makeSecret(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".secret")
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
