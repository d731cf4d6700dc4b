package peer

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// tokenLength is that of crypto/rand.Text: 130 bits.
const tokenLength = 26

// TokenFile returns where the token of a Unix socket is kept.
func TokenFile(socket string) string { return strings.TrimSuffix(socket, ".sock") + ".token" }

// keepToken returns the socket's token and makes one where there is none. One
// that is there is kept: during a hand-over two processes must know the same.
// Remove the file and restart to have another.
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
