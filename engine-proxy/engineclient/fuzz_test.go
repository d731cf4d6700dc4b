package engineclient

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
)

// FuzzFeed reads what a hostile engine says: whatever is taken for a record is
// the next of its own feed, and of its own project.
func FuzzFeed(f *testing.F) {
	project, feedID, job := mint.NewProjectID(), "feed_1", mint.NewJobID(time.Unix(1, 0))
	record := func(change func(*contract.FeedRecord)) []byte {
		rec := contract.FeedRecord{FeedID: feedID, Seq: 1, Kind: contract.FeedUsage, JobID: job, Units: []contract.Unit{{Name: "generator.job", Quantity: 1}}}
		change(&rec)
		line, err := json.Marshal(rec)
		if err != nil {
			f.Fatal(err)
		}
		return append(line, '\n')
	}
	one := record(func(*contract.FeedRecord) {})
	two := record(func(r *contract.FeedRecord) {
		r.Seq, r.Kind = 2, contract.FeedEnded
		r.Record = &contract.JobRecord{JobID: job, ProjectID: project, Status: api.JobCompleted}
	})
	f.Add(append(bytes.Clone(one), two...))
	f.Add(append(bytes.Clone(one), one...))
	f.Add(append([]byte("\n\n"), one[:len(one)-5]...))
	f.Add(record(func(r *contract.FeedRecord) { r.Units[0].Quantity = 1 << 62 }))
	f.Add(record(func(r *contract.FeedRecord) { r.Seq = 1<<64 - 1 }))
	f.Add(record(func(r *contract.FeedRecord) { r.Next = "../../x" }))
	f.Add(bytes.ReplaceAll(one, []byte(`"seq":1`), []byte(`"seq":1e0,"SEQ":7`)))
	f.Fuzz(func(t *testing.T, said []byte) {
		scan := bufio.NewScanner(bytes.NewReader(said))
		scan.Buffer(nil, maxFeedLine)
		feed := &Feed{client: &Client{target: Target{ProjectID: project}}, body: io.NopCloser(nil), scan: scan, feedID: feedID}
		for last := uint64(0); ; last++ {
			rec, err := feed.Next()
			if err != nil {
				if !errors.Is(err, ErrContract) && !errors.Is(err, io.EOF) {
					t.Errorf("it ended as %v", err)
				}
				return
			}
			switch {
			case rec.FeedID != feedID || rec.Seq != last+1 || !api.ValidJobID(rec.JobID) || len(rec.Units) > maxUnits:
				t.Fatalf("after record %d came %+v", last, rec)
			case rec.Kind != contract.FeedUsage && (rec.Record == nil || rec.Record.JobID != rec.JobID || rec.Record.ProjectID != project):
				t.Fatalf("it speaks of another: %+v", rec)
			case feed.Bytes() > maxFeedLine:
				t.Fatalf("a line of %d bytes", feed.Bytes())
			}
		}
	})
}
