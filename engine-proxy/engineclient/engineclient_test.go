package engineclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/api/mint"
)

const project = "0123456789abcdef01234567"

// engine answers every request with h, as instance "me".
func engine(t *testing.T, h http.HandlerFunc) *Client {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set(contract.HeaderInstance, "me")
		h(w, r)
	}))
	c := New(Target{ProjectID: project, InstanceID: "me", Network: "tcp", Address: srv.Listener.Addr().String(), Token: "secret"})
	t.Cleanup(func() { c.Close(); srv.Close() })
	return c
}

func TestEveryCallCarriesTheToken(t *testing.T) {
	c := engine(t, func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Authorization"); got != "Bearer secret" {
			t.Errorf("%s %s carries %q", r.Method, r.URL, got)
		}
		_, _ = io.WriteString(w, "{}")
	})
	ctx, job := t.Context(), mint.NewJobID(time.Now())
	_, _ = c.Ready(ctx)
	_, _ = c.Activity(ctx)
	_, _ = c.Knows(ctx, []string{job})
	_, _ = c.Fence(ctx, job)
	_ = c.Ack(ctx, contract.Ack{})
	_ = c.Drain(ctx)
	_ = c.Undrain(ctx)
	_ = c.Cancel(ctx, job)
	_, _ = c.Job(job).Record(ctx)
	if f, err := c.Feed(ctx, "f", 0); err == nil {
		f.Close()
	}
}

func TestAnswerOfAnotherInstanceIsRefused(t *testing.T) {
	c := engine(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(contract.HeaderInstance, "another")
		_, _ = io.WriteString(w, "{}")
	})
	if err := c.Drain(t.Context()); !errors.Is(err, ErrIdentity) {
		t.Fatalf("got %v, want ErrIdentity", err)
	}
}

func TestReadyOnlyIfInstanceProjectAndFeedAreWhatTheyMustBe(t *testing.T) {
	for _, c := range []struct {
		name   string
		status int
		body   contract.Ready
		want   error
	}{
		{"ready", 200, contract.Ready{InstanceID: "me", ProjectID: project, FeedID: "01JA-f_1"}, nil},
		{"not yet", 503, contract.Ready{}, ErrNotReady},
		{"another instance", 200, contract.Ready{InstanceID: "you", ProjectID: project}, ErrIdentity},
		{"another project", 200, contract.Ready{InstanceID: "me", ProjectID: "x"}, ErrIdentity},
		{"no feed", 200, contract.Ready{InstanceID: "me", ProjectID: project}, ErrContract},
		{"a feed that no database can name", 200, contract.Ready{InstanceID: "me", ProjectID: project, FeedID: "a\x00"}, ErrContract},
		{"a feed with an endless name", 200, contract.Ready{InstanceID: "me", ProjectID: project, FeedID: strings.Repeat("a", 1+contract.MaxName)}, ErrContract},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := engine(t, func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(c.status)
				_ = json.NewEncoder(w).Encode(c.body)
			})
			if _, err := client.Ready(t.Context()); !errors.Is(err, c.want) {
				t.Fatalf("got %v, want %v", err, c.want)
			}
		})
	}
}

func TestAnswersAreBoundedAndRedirectsNotFollowed(t *testing.T) {
	endless := engine(t, func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := io.WriteString(w, strings.Repeat(" ", 64<<10)); err != nil {
				return
			}
		}
	})
	if _, err := endless.Activity(t.Context()); err == nil || !strings.Contains(err.Error(), "over") {
		t.Fatalf("endless answer: %v", err)
	}
	away := engine(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://elsewhere/", http.StatusFound)
	})
	var status *StatusError
	if err := away.Drain(t.Context()); !errors.As(err, &status) || status.Status != http.StatusFound {
		t.Fatalf("redirect: %v", err)
	}
}

func TestKnownJobsAreThoseOfTheWholeList(t *testing.T) {
	mine, other := mint.NewJobID(time.Now()), mint.NewJobID(time.Now())
	for body, want := range map[string]bool{
		`{"jobs":[{"jobId":"` + other + `"},{"status":"running","jobId":"` + mine + `"}]}`: true,
		`{"more":{"jobs":[1]},"jobs":[{"jobId":"` + mine + `"}]}`:                          true,
		`{"jobs":[{"jobId":"` + other + `"}]}`:                                             false,
		`{"jobs":[]}`:                                                                      false,
		`{"jobs":null}`:                                                                    false,
	} {
		c := engine(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		if known, err := c.Knows(t.Context(), []string{mine}); err != nil || known[mine] != want || len(known) > 1 {
			t.Errorf("%s: %v, %v", body, known, err)
		}
	}
	for _, body := range []string{"", "[]", "{}", `{"jobs":`, `{"jobs":[`, `{"jobs":[1]}`, `{"jobs":{}}`, `{"jobs":[]`, `{"job":[{"jobId":"` + mine + `"}]}`} {
		c := engine(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) })
		if known, err := c.Knows(t.Context(), []string{mine}); err == nil {
			t.Errorf("%q is taken for a list that knows %v", body, known)
		}
	}
}

func TestListOfJobsIsNeverWholeInMemory(t *testing.T) {
	const records, most = 1 << 20, 32 << 20 // bytes; the records themselves take 200 MiB
	list := strings.NewReader(`{"jobs":[{}` + strings.Repeat(",{}", records-1) + "]}")
	held := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, seen := held(), 0
	err := eachJob(json.NewDecoder(list), func(string) {
		if seen++; seen != records {
			return
		}
		if now := held(); now > before+most {
			t.Errorf("at its last record the list takes %d MiB", (now-before)>>20)
		}
	})
	if err != nil || seen != records {
		t.Fatalf("%d of %d records, %v", seen, records, err)
	}
}

func TestDrainSeparatesWorkFromFailure(t *testing.T) {
	for status, busy := range map[int]bool{200: false, 204: false, 409: true, 500: false} {
		c := engine(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		err := c.Drain(t.Context())
		if errors.Is(err, ErrBusy) != busy || (err == nil) != (status < 300) {
			t.Errorf("status %d: %v", status, err)
		}
	}
}

func TestUnknownVerdictIsNoVerdict(t *testing.T) {
	c := engine(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"verdict":"maybe"}`) })
	if v, err := c.Fence(t.Context(), mint.NewJobID(time.Now())); err == nil {
		t.Fatalf("got verdict %q", v)
	}
}

func TestMalformedJobIDNeverBecomesAPath(t *testing.T) {
	c := engine(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("asked for %s", r.URL) })
	for _, id := range []string{"", "../feed", "job_x/../../v1"} {
		_, recordErr := c.Job(id).Record(t.Context())
		_, filesErr := c.Job(id).Files(t.Context())
		if recordErr == nil || filesErr == nil || c.Cancel(t.Context(), id) == nil {
			t.Errorf("id %q was accepted", id)
		}
	}
}

func TestFeedAcceptsOnlyTheNextRecordOfItsProject(t *testing.T) {
	job := mint.NewJobID(time.Now())
	good := func(change func(*contract.FeedRecord)) contract.FeedRecord {
		r := contract.FeedRecord{FeedID: "f", Seq: 8, Kind: contract.FeedStarted, JobID: job,
			Record: &contract.JobRecord{JobID: job, ProjectID: project, Status: api.JobRunning}}
		change(&r)
		return r
	}
	for _, c := range []struct {
		name   string
		change func(*contract.FeedRecord)
		ok     bool
	}{
		{"next record", func(*contract.FeedRecord) {}, true},
		{"usage without record", func(r *contract.FeedRecord) { r.Kind, r.Record = contract.FeedUsage, nil }, true},
		{"gap", func(r *contract.FeedRecord) { r.Seq = 9 }, false},
		{"repetition", func(r *contract.FeedRecord) { r.Seq = 7 }, false},
		{"another feed", func(r *contract.FeedRecord) { r.FeedID = "g" }, false},
		{"unknown kind", func(r *contract.FeedRecord) { r.Kind = "gift" }, false},
		{"step to come", func(r *contract.FeedRecord) { r.Next = "generator.job" }, true},
		{"a step that no database can name", func(r *contract.FeedRecord) { r.Next = "a\x00" }, false},
		{"malformed job id", func(r *contract.FeedRecord) { r.JobID = "../x" }, false},
		{"no record", func(r *contract.FeedRecord) { r.Record = nil }, false},
		{"record of another job", func(r *contract.FeedRecord) { r.Record.JobID = "x" }, false},
		{"record of another project", func(r *contract.FeedRecord) { r.Record.ProjectID = "x" }, false},
		{"more units than a step has", func(r *contract.FeedRecord) { r.Units = make([]contract.Unit, maxUnits+1) }, false},
		{"ended, but running", func(r *contract.FeedRecord) { r.Kind = contract.FeedEnded }, false},
		{"progress, but ended", func(r *contract.FeedRecord) { r.Record.Status = api.JobCompleted }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := engine(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Query().Get("after") != "7" {
					t.Errorf("asked for %s", r.URL)
				}
				fmt.Fprintln(w) // keeps the connection alive, and means nothing
				_ = json.NewEncoder(w).Encode(good(c.change))
			})
			feed, err := client.Feed(t.Context(), "f", 7)
			if err != nil {
				t.Fatal(err)
			}
			defer feed.Close()
			rec, err := feed.Next()
			if (err == nil) != c.ok {
				t.Fatalf("got %+v, %v", rec, err)
			}
			if c.ok {
				if _, err := feed.Next(); !errors.Is(err, io.EOF) {
					t.Fatalf("at the end: %v, want io.EOF", err)
				}
			}
		})
	}
}

func TestFeedThatBreaksOffInARecordBreaksNoContract(t *testing.T) {
	client := engine(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, `{"seq": 8, "kind": "us`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	feed, err := client.Feed(t.Context(), "f", 7)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	if _, err := feed.Next(); err == nil || errors.Is(err, ErrContract) {
		t.Errorf("got %v, want the connection's error", err)
	}
}
