// Package secret reads passwords from files that are followed: each new connection asks
// anew, so that another password needs no restart.
package secret

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
)

// Parameter of a URL names the file with its password: ?password_file=/run/secrets/database.
const Parameter = "password_file"

// longest is how many bytes a password may have.
const longest = 4 << 10

// Cut takes the parameter out of a URL and returns the rest, and the file that it names, ""
// without one. Its errors don't repeat the URL, which may hold a password.
func Cut(address string) (rest, file string, err error) {
	before, query, found := strings.Cut(address, "?")
	if !found {
		return address, "", nil
	}
	var others []string
	for part := range strings.SplitSeq(query, "&") {
		value, is := strings.CutPrefix(part, Parameter+"=")
		if !is {
			others = append(others, part)
			continue
		}
		if file, err = url.QueryUnescape(value); err != nil || file == "" {
			return "", "", fmt.Errorf("%s of a URL names no file", Parameter)
		}
	}
	if len(others) > 0 {
		before += "?" + strings.Join(others, "&")
	}
	return before, file, nil
}

// Read returns what a file holds, without the end of its one line.
func Read(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("reading a password: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, longest+1))
	if err != nil {
		return "", fmt.Errorf("reading a password: %w", err)
	}
	password := strings.TrimSuffix(strings.TrimSuffix(string(raw), "\n"), "\r")
	if password == "" || len(raw) > longest || strings.ContainsAny(password, "\r\n") {
		return "", fmt.Errorf("reading a password: %s: %w", file, errors.New("it must hold one line"))
	}
	return password, nil
}
