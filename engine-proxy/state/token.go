package state

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"syscall"
)

// tokenBytes is the size of an instance's token before it is written in
// hexadecimal.
const tokenBytes = 32

// NewToken returns the token of a new instance.
func NewToken() string {
	var secret [tokenBytes]byte
	_, _ = rand.Read(secret[:]) // never fails
	return hex.EncodeToString(secret[:])
}

// ReadToken reads the token of an engine that runs. The engine may write the
// folder: what is read is sent to it, so a link is not followed, or a file of
// ours would be sent as well, and nothing but a token is taken.
func ReadToken(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", fmt.Errorf("opening engine token: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("looking at engine token: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("reading engine token: it is not a regular file: %s", info.Mode())
	}
	raw, err := io.ReadAll(io.LimitReader(f, 2*tokenBytes+1))
	if err != nil {
		return "", fmt.Errorf("reading engine token: %w", err)
	}
	if secret, err := hex.DecodeString(string(raw)); err != nil || len(secret) != tokenBytes {
		return "", fmt.Errorf("reading engine token: the file holds something else")
	}
	return string(raw), nil
}
