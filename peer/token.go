package peer

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// tokenLength is that of crypto/rand.Text: 130 bits.
const tokenLength = 26

// TokenFile returns where the token of a Unix socket is kept.
func TokenFile(socket string) string { return strings.TrimSuffix(socket, ".sock") + ".token" }

// formerToken is how long the token before is taken after a change: longer than clients go
// by what they read.
const formerToken = 5 * time.Second

// tokens are what a server takes: that of the socket's file, which is followed, and for a
// moment the one before.
type tokens struct {
	socket string
	logger *zap.Logger

	mu      sync.Mutex // guards the following fields
	current string
	seen    fs.FileInfo // of the file with current
	former  string
	until   time.Time // of former
	failed  bool      // that the file can't be used is said
}

// keepTokens makes the socket's token where there is none.
func keepTokens(socket string, logger *zap.Logger) (*tokens, error) {
	token, err := keepToken(socket)
	t := &tokens{socket: socket, logger: logger, current: token}
	if err == nil {
		t.seen, err = os.Lstat(TokenFile(socket))
	}
	return t, err
}

// good reports whether a token is the socket's. One that is not may have been read from a
// file that changed a moment ago.
func (t *tokens) good(token string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.is(token) {
		return true
	}
	t.follow()
	return t.is(token)
}

// look has a changed file be used.
func (t *tokens) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.follow()
}

func (t *tokens) is(token string) bool {
	former := subtle.ConstantTimeCompare([]byte(token), []byte(t.former)) == 1 && t.former != "" && time.Now().Before(t.until)
	return subtle.ConstantTimeCompare([]byte(token), []byte(t.current)) == 1 || former
}

// follow takes over what a changed file holds, and makes another one in the place of one that
// was removed; mu is held. While that fails, the old token stays.
func (t *tokens) follow() {
	seen, err := os.Lstat(TokenFile(t.socket))
	if err == nil && unchanged(seen, t.seen) {
		return
	}
	token, err := keepToken(t.socket)
	if err == nil {
		seen, err = os.Lstat(TokenFile(t.socket))
	}
	if err != nil {
		if !t.failed {
			t.logger.Warn("a socket's new token can't be used; keeping the old one", zap.String("socket", t.socket), zap.Error(err))
		}
		t.failed = true
		return
	}
	t.seen, t.failed = seen, false
	if token != t.current {
		t.former, t.until, t.current = t.current, time.Now().Add(formerToken), token
		t.logger.Info("a socket's token was changed", zap.String("socket", t.socket))
	}
}

// keepToken returns the socket's token and makes one where there is none. One
// that is there is kept: during a hand-over two processes must know the same.
func keepToken(socket string) (string, error) {
	path := TokenFile(socket)
	token, err := readToken(path)
	if err == nil && len(token) == tokenLength {
		return token, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errExposed) {
		return "", err
	}
	token = rand.Text()
	return token, writeToken(path, token)
}

// writeToken puts the token at path in one step.
func writeToken(path, token string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".token-*") // mode 0600
	if err != nil {
		return fmt.Errorf("keeping the token %s: %w", path, err)
	}
	_, err = f.WriteString(token)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("keeping the token %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}

// errExposed: others than the owner could have read or made the token.
var errExposed = errors.New("it must be a file of mode 0600 of this user or root")

// readToken reads a token that nobody but its owner can have read.
func readToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || owner != os.Geteuid() && owner != 0 && os.Geteuid() != 0 {
		return "", fmt.Errorf("the token %s can't be trusted: %w", path, errExposed)
	}
	token, err := io.ReadAll(io.LimitReader(f, tokenLength+1))
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	return string(token), nil
}
