package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// flood is what a hostile engine writes to its log at each request.
var flood = strings.Repeat("\x1b[2J\x00{\"level\":\"error\",\"msg\":\"the service is broken\"}\r", 1000)

// corrupt returns what a hostile engine puts between its answer to r and the
// reader.
func corrupt(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	_, _ = io.WriteString(os.Stderr, flood) // one that is cut off is no failure
	switch {
	case r.URL.Path == contract.PathFeed:
		return &liar{ResponseWriter: w}
	case r.URL.Path == contract.PathSnapshot, strings.HasSuffix(r.URL.Path, "/files"):
		return &packer{ResponseWriter: w}
	}
	return w
}

// liar passes a feed on, with a lie in some of its records.
type liar struct {
	http.ResponseWriter
	begun []byte // a record
}

// Unwrap lets the feed be flushed.
func (l *liar) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func (l *liar) Write(p []byte) (int, error) {
	l.begun = append(l.begun, p...)
	for {
		line, rest, whole := bytes.Cut(l.begun, []byte("\n"))
		if !whole {
			return len(p), nil
		}
		if _, err := l.ResponseWriter.Write(append(lie(line), '\n')); err != nil {
			return 0, err
		}
		l.begun = rest
	}
}

// lies are what can be done to a record of a feed.
var lies = []func(*contract.FeedRecord){
	func(r *contract.FeedRecord) { r.Units = append(r.Units, contract.Unit{Name: "luxury", Quantity: 1}) },
	func(r *contract.FeedRecord) { r.Units = append(r.Units, contract.Unit{Quantity: math.MaxInt64}) },
	func(r *contract.FeedRecord) {
		for i := range r.Units {
			r.Units[i].Quantity = math.MaxInt64
		}
	},
	func(r *contract.FeedRecord) {
		for i := range r.Units {
			r.Units[i].Quantity = -1_000_000
		}
	},
	func(r *contract.FeedRecord) { r.JobID = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV" },
	func(r *contract.FeedRecord) { r.Kind = contract.FeedEnded },
	func(r *contract.FeedRecord) { r.Kind = "confession" },
	func(r *contract.FeedRecord) { r.FeedID = "another" },
	func(r *contract.FeedRecord) { r.Seq += 7 },
	func(r *contract.FeedRecord) {
		if r.Record != nil {
			r.Record.JobID, r.Record.Status = "job_01ARZ3NDEKTSV4RRFFQ69G5FAV", api.JobCompleted
		}
	},
}

func lie(line []byte) []byte {
	switch rand.IntN(40) {
	case 0:
		return bytes.Repeat([]byte("x"), 2<<20)
	case 1:
		return []byte("{{{")
	case 2, 3, 4, 5, 6, 7, 8, 9, 10, 11:
		var r contract.FeedRecord
		if json.Unmarshal(line, &r) != nil {
			return line
		}
		lies[rand.IntN(len(lies))](&r)
		if lied, err := json.Marshal(r); err == nil {
			return lied
		}
	}
	return line
}

// packer answers with an evil archive instead of the right one, half of the time.
type packer struct {
	http.ResponseWriter
	evil bool
}

func (p *packer) WriteHeader(status int) {
	if status != http.StatusOK || rand.IntN(2) == 0 {
		p.ResponseWriter.WriteHeader(status)
		return
	}
	p.Header().Del("Content-Length")
	p.ResponseWriter.WriteHeader(status)
	out := zip.NewWriter(p.ResponseWriter)
	for name, mode := range map[string]fs.FileMode{
		"../../escaped.html": 0o644, "/etc/passwd": 0o644, "link": fs.ModeSymlink | 0o777, "index.html": 0o644, "INDEX.HTML": fs.ModeSetuid | 0o755,
	} {
		head := &zip.FileHeader{Name: name, Method: zip.Deflate}
		head.SetMode(mode)
		if entry, err := out.CreateHeader(head); err == nil {
			_, _ = entry.Write(make([]byte, 4<<20)) // as much as the reader takes
		}
	}
	_ = out.Close()
	p.evil = true
}

func (p *packer) Write(b []byte) (int, error) {
	if p.evil {
		return len(b), nil // the right one does not follow
	}
	return p.ResponseWriter.Write(b)
}
