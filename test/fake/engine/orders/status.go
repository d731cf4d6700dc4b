package orders

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// status is /proc/self/status where it can be read.
func status() map[string]string { return readStatus("/proc/self/status") }

func readStatus(path string) map[string]string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	m := make(map[string]string)
	for line := range strings.Lines(string(raw)) {
		name, value, _ := strings.Cut(line, ":")
		m[name] = strings.TrimSpace(value)
	}
	return m
}

// blocked returns the signals that all threads block, one bit each. A single
// thread tells nothing: the Go runtime keeps one that blocks most of them.
func blocked() (uint64, error) {
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil {
		return 0, err
	}
	all := ^uint64(0)
	for _, t := range threads {
		text, ok := readStatus(t)["SigBlk"]
		if !ok {
			continue // it has ended
		}
		set, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			return 0, err
		}
		all &= set
	}
	return all, nil
}
