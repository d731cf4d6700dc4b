package caddymodule

import (
	"cmp"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/svc-games/svc/caddymodule/gateway/streams"
)

// Defaults and bounds of the options max_streams_per_key and max_streams.
const (
	streamsPerKey = 64
	streamsInAll  = 10_000
	mostStreams   = 1_000_000
)

// Parts of the files that the process may have open, of which each stream takes one, its
// client's connection, and each job whose events are read another one, to its engine,
// however many read. The rest is for other requests, engines and the store.
const (
	partForStreams = 2 // a half, which svc_connections leaves to all clients
	partForJobs    = 4
)

// boundStreams checks both options and sets their defaults.
func (a *App) boundStreams() error {
	if n := a.MaxStreamsPerKey; n < 0 || n > mostStreams {
		return fmt.Errorf("max_streams_per_key must be from 1 to %d, is %d", mostStreams, n)
	}
	if n := a.MaxStreams; n < 0 || n > mostStreams {
		return fmt.Errorf("max_streams must be from 1 to %d, is %d", mostStreams, n)
	}
	a.MaxStreamsPerKey = cmp.Or(a.MaxStreamsPerKey, streamsPerKey)
	if a.MaxStreams == 0 {
		files, err := fileLimit()
		if err != nil {
			return err
		}
		a.MaxStreams = int(max(1, min(streamsInAll, files/partForStreams)))
	}
	return nil
}

// followedJobs returns of how many jobs the events may be read at once.
func followedJobs() (int, error) {
	files, err := fileLimit()
	return int(max(1, min(mostStreams, files/partForJobs))), err
}

// fileLimit returns how many files the process may have open.
func fileLimit() (uint64, error) {
	var files unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &files); err != nil {
		return 0, fmt.Errorf("finding out how many files may be open: %w", err)
	}
	return files.Cur, nil
}

// streams are the bounds of this configuration.
func (a *App) streams() streams.Bounds {
	return streams.Bounds{PerKey: a.MaxStreamsPerKey, All: a.MaxStreams}
}
