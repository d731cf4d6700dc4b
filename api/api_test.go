package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestNewKeyIsRecognisedAndMasked(t *testing.T) {
	secret := NewKey()
	if _, ok := ParseKey(secret); !ok {
		t.Fatalf("a new key is not recognised")
	}
	masked := MaskKey(secret)
	if want := secret[:5] + "****" + secret[len(secret)-4:]; masked != want {
		t.Errorf("masked form is %q, want %q", masked, want)
	}
	if other := NewKey(); other == secret {
		t.Error("two new keys are the same")
	}
}

func TestJunkKeyIsRefusedWithoutALookUp(t *testing.T) {
	secret := NewKey()
	flipped := []byte(secret)
	flipped[10] ^= 1
	for name, junk := range map[string]string{
		"empty":          "",
		"other prefix":   "pk" + secret[2:],
		"cut":            secret[:len(secret)-1],
		"longer":         secret + "0",
		"one bit off":    string(flipped),
		"outside base62": secret[:10] + "-" + secret[11:],
	} {
		if _, ok := ParseKey(junk); ok {
			t.Errorf("%s: accepted", name)
		}
	}
}

func FuzzParseKeyAcceptsOnlyItsOwnChecksum(f *testing.F) {
	f.Add(NewKey())
	f.Add("sk-")
	f.Fuzz(func(t *testing.T, s string) {
		if _, ok := ParseKey(s); ok {
			body := len(keyPrefix) + keyRandom
			if sum := checksum([]byte(s[:body])); string(sum[:]) != s[body:] {
				t.Errorf("accepted %q", s)
			}
		}
	})
}

func TestFixedErrorBodiesHaveTheDocumentedMembersOnly(t *testing.T) {
	tests := map[string]struct {
		err    *Error
		status int
		body   string
		header map[string]string
	}{
		"400": {BadRequest("prompt is required."), 400, `{"error":"prompt is required."}`, nil},
		"401": {
			&Error{Status: 401, Message: "m", Reason: ReasonDisabled}, 401,
			`{"error":"m","reason":"disabled"}`, map[string]string{"WWW-Authenticate": "Bearer"},
		},
		"429": {
			&Error{Status: 429, Message: "m", Reason: ReasonLimitExceeded, Limit: LimitJobsPerDay, RetryAfter: 90 * time.Second}, 429,
			`{"error":"m","reason":"limit_exceeded","limit":"jobsPerDay"}`, map[string]string{"Retry-After": "90"},
		},
		"cold start": {
			EngineStarting(30 * time.Second), 503,
			`{"error":"The project's engine is starting. Submit the same request again later.","retryAfterSeconds":30}`,
			map[string]string{"Retry-After": "30"},
		},
		"unavailable": {
			Unavailable("m", 200*time.Millisecond, nil), 503, `{"error":"m"}`, map[string]string{"Retry-After": "1"},
		},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			rec := httptest.NewRecorder()
			tc.err.WriteTo(rec)
			if rec.Code != tc.status || strings.TrimSpace(rec.Body.String()) != tc.body {
				t.Errorf("got %d %s", rec.Code, rec.Body)
			}
			for name, want := range tc.header {
				if got := rec.Header().Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

func TestErrorCauseStaysOutOfTheBody(t *testing.T) {
	rec := httptest.NewRecorder()
	Unavailable("m", time.Second, http.ErrServerClosed).WriteTo(rec)
	if strings.Contains(rec.Body.String(), "closed") {
		t.Errorf("body is %s", rec.Body)
	}
}

func TestTIKIsADecimalNumberOnTheWire(t *testing.T) {
	for text, micro := range map[string]TIK{
		"0": 0, "1": 1_000_000, "1000": 1_000_000_000, "0.000001": 1, "12.5": 12_500_000, "-3.25": -3_250_000,
	} {
		out, err := json.Marshal(micro)
		if err != nil || string(out) != text {
			t.Errorf("%d is written %s, %v; want %s", micro, out, err, text)
		}
		var back TIK
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != micro {
			t.Errorf("%s is read as %d, %v; want %d", text, back, err, micro)
		}
	}
	for _, bad := range []string{"", ".", "1.", ".5", "1.0000001", "1e3", "9223372036855", "x", "1 "} {
		if n, err := ParseTIK(bad); err == nil {
			t.Errorf("%q is read as %d", bad, n)
		}
	}
}

func TestEventIsFlatAndReadsBack(t *testing.T) {
	e := Event{
		Type: EventProgress, Seq: 7, JobID: "job_x", ProjectID: testProject,
		TS: time.Date(2026, 1, 2, 3, 4, 5, 6_000_000, time.UTC), Members: map[string]any{"percent": 40.0},
	}
	raw, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"jobId":"job_x","percent":40,"projectId":"` + testProject + `","seq":7,"ts":"2026-01-02T03:04:05.006Z","type":"job.progress"}`
	if string(raw) != want {
		t.Errorf("written as %s", raw)
	}
	var back Event
	if err := json.Unmarshal(raw, &back); err != nil || back.Seq != 7 || back.Members["percent"] != 40.0 || len(back.Members) != 1 {
		t.Errorf("read back as %+v, %v", back, err)
	}
}

func TestEventMayNotCarryAnErrorMember(t *testing.T) {
	for _, name := range []string{"error", "type", "seq"} {
		if _, err := json.Marshal(Event{Type: EventFailed, Members: map[string]any{name: 1}}); err == nil {
			t.Errorf("member %q was accepted", name)
		}
	}
}

func TestLimitRetryAfterIsTheNextUTCBoundary(t *testing.T) {
	now := time.Date(2024, 2, 29, 23, 59, 30, 0, time.UTC)
	for limit, want := range map[string]time.Duration{
		LimitJobsPerDay:        30 * time.Second,
		LimitJobsPerMonth:      30 * time.Second,
		LimitTIKPerMonth:       30 * time.Second,
		LimitMaxConcurrentJobs: 5 * time.Second,
	} {
		if got := LimitRetryAfter(limit, now.In(time.FixedZone("", 3600))); got != want {
			t.Errorf("%s: %s, want %s", limit, got, want)
		}
	}
}

func TestIDsHaveTheirForm(t *testing.T) {
	now := time.Now()
	if id := NewJobID(now); !ValidJobID(id) {
		t.Errorf("job id %q", id)
	}
	if id := NewProjectID(); !ValidProjectID(id) {
		t.Errorf("project id %q", id)
	}
	for _, bad := range []string{"", "job_", "job_../../x", "job_8ZZZZZZZZZZZZZZZZZZZZZZZZZ", strings.ToLower(NewJobID(now))} {
		if ValidJobID(bad) {
			t.Errorf("%q passes for a job id", bad)
		}
	}
}

func TestKeyOfAGameAndOfAUserAreNeverTakenForOneAnother(t *testing.T) {
	key := NewPlayKey()
	if _, ok := ParseKey(key); ok || !ValidPlayKey(key) {
		t.Errorf("%s: ParseKey %v, ValidPlayKey %v", key, ok, ValidPlayKey(key))
	}
	for _, junk := range []string{"", "pk-", NewKey(), "sk-" + key[3:], key[:len(key)-1] + "?", key + "0"} {
		if ValidPlayKey(junk) {
			t.Errorf("%q is taken for the key of a game", junk)
		}
	}
}
