package engine

import (
	"archive/zip"
	"bufio"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

func TestAnEventStreamIsTakenUpWhereItEnded(t *testing.T) {
	p := serveEngine(t)
	id := p.accept("some game")
	p.finish(id)
	path := "/v1/generate/" + id + "/events"
	all := stream(t, p.get(path))

	rest := stream(t, p.do(http.MethodGet, path, nil, http.Header{"Last-Event-Id": {"2"}}))
	if len(rest) != len(all)-2 || rest[0].ID != 3 {
		t.Errorf("after 2: %d of %d events", len(rest), len(all))
	}
	rest = stream(t, p.get(path+"?lastEventId=3"))
	if len(rest) != len(all)-3 || rest[0].ID != 4 {
		t.Errorf("after 3: %d of %d events", len(rest), len(all))
	}
	for _, at := range []int{len(all), len(all) + 5} {
		res := p.do(http.MethodGet, path, nil, http.Header{"Last-Event-Id": {strconv.Itoa(at)}})
		if res.StatusCode != http.StatusNoContent {
			t.Errorf("after %d: %d", at, res.StatusCode)
		}
	}
	reset := stream(t, p.do(http.MethodGet, path, nil, http.Header{"Last-Event-Id": {"garbage"}}))
	if len(reset) != len(all)+1 || reset[0].Type != api.StreamReset || reset[0].ID != 0 || reset[1].ID != 1 {
		t.Errorf("after garbage: %d events, first %+v", len(reset), reset[0])
	}
}

func TestTheStoredEndCanBeFetchedBeforeItIsPublished(t *testing.T) {
	p := serveEngine(t)
	id := p.accept("some game")
	ended := p.ledger(0, func(rec contract.FeedRecord) bool { return rec.Kind != contract.FeedEnded })
	job := contract.PathJobs + "/" + id

	if record := decode[contract.JobRecord](t, p.get(job+"/record")); record.Status != api.JobCompleted || record.LastEventID != ended.Record.LastEventID {
		t.Errorf("record: %+v", record)
	}
	lines := strings.Split(strings.TrimSuffix(bodyOf(t, p.get(job+"/events")), "\n"), "\n")
	var last api.Event
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil || last.Type != api.EventCompleted || uint64(len(lines)) != ended.Record.LastEventID {
		t.Errorf("%d events, last %+v, %v", len(lines), last, err)
	}
	if n := len(bodyOf(t, p.get(job+"/files"))); int64(n) != ended.Record.Files.Bytes {
		t.Errorf("files: %d bytes", n)
	}
	if status := decode[contract.JobRecord](t, p.get("/v1/generate/"+id+"/status")); status.Status != api.JobRunning {
		t.Errorf("public status: %+v", status)
	}
	if res := p.get("/v1/generate/" + id + "/files"); res.StatusCode != http.StatusConflict {
		t.Errorf("public files: %d", res.StatusCode)
	}
}

func TestTheFeedGoesOnAfterARecordAndABeat(t *testing.T) {
	h := held{make(chan struct{})}
	close(h.release)
	p := serveConfig(t, Config{Volume: t.TempDir(), Generator: h, Heartbeat: 5 * time.Millisecond})
	res := p.get(contract.PathFeed + "?after=0")
	scan := bufio.NewScanner(res.Body)
	if !scan.Scan() || scan.Text() != "" {
		t.Fatalf("first line of a quiet feed: %q, %v", scan.Text(), scan.Err())
	}
	id := p.accept("some game")
	ended := p.finish(id)
	var seen []uint64
	for scan.Scan() {
		if scan.Text() == "" {
			continue
		}
		var rec contract.FeedRecord
		if err := json.Unmarshal(scan.Bytes(), &rec); err != nil {
			t.Fatal(err)
		}
		if seen = append(seen, rec.Seq); rec.Seq == ended.Seq {
			break
		}
	}
	if len(seen) == 0 || seen[0] != 1 || !slices.IsSorted(seen) || uint64(len(seen)) != ended.Seq {
		t.Errorf("seen: %v", seen)
	}
	for path, status := range map[string]int{
		contract.PathFeed: http.StatusBadRequest, contract.PathFeed + "?after=x": http.StatusBadRequest,
		contract.PathFeed + "?after=99": http.StatusConflict,
	} {
		if res := p.get(path); res.StatusCode != status {
			t.Errorf("%s: %d", path, res.StatusCode)
		}
	}
	for name, ack := range map[string]contract.Ack{
		"another feed": {FeedID: "feed_other", Seq: 1}, "ahead": {FeedID: ended.FeedID, Seq: 99},
	} {
		if res := p.post(contract.PathAck, ack); res.StatusCode != http.StatusConflict {
			t.Errorf("ack of %s: %d", name, res.StatusCode)
		}
	}
}

func TestTheGameAsItIsCanBeFetchedAtAnyTime(t *testing.T) {
	p := serveEngine(t)
	empty := bodyOf(t, p.get(contract.PathSnapshot))
	if z, err := zip.NewReader(strings.NewReader(empty), int64(len(empty))); err != nil || len(z.File) != 0 {
		t.Fatalf("before the first job: %v", err)
	}
	id := p.accept("some game")
	p.ledger(0, func(rec contract.FeedRecord) bool { return rec.Kind != contract.FeedEnded })
	if bodyOf(t, p.get(contract.PathSnapshot)) != bodyOf(t, p.get(contract.PathJobs+"/"+id+"/files")) {
		t.Fatal("the snapshot differs from the files of the job that just ended")
	}
}
