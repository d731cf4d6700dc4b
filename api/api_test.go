package api

import (
	"encoding/json"
	"testing"
	"time"
)

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

const testProject = "0123456789abcdef01234567"

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
