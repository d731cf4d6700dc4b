package main

import (
	"bufio"
	"errors"
	"os"
	"strings"
)

// escapedURL writes what Debian's names and versions have beside letters, digits, dots,
// dashes and tildes as package URLs do.
var escapedURL = strings.NewReplacer("+", "%2B", ":", "%3A")

// debianPackages are the installed ones of dpkg's list.
func debianPackages(path string) (found []component, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	field := map[string]string{}
	add := func() {
		if strings.HasSuffix(field["Status"], " installed") {
			name, version := escapedURL.Replace(field["Package"]), escapedURL.Replace(field["Version"])
			url := "pkg:deb/debian/" + name + "@" + version + "?arch=" + field["Architecture"]
			found = append(found, library(url, field["Package"], field["Version"], nil, nil))
		}
		clear(field)
	}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() == "" {
			add()
		}
		if name, value, ok := strings.Cut(lines.Text(), ": "); ok && !strings.HasPrefix(name, " ") {
			field[name] = value
		}
	}
	add()
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, errors.New("none is installed")
	}
	return found, nil
}
