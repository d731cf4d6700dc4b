package commands

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

func TestTerminalHasOneStatusLineBelowEverythingElse(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	ticker := time.NewTicker(time.Hour)
	d := newTerminalDisplay(&out, func() int { return 60 }, func() time.Time { return now }, ticker)
	d.note("job 1")
	d.wait(client.Retry{Delay: 30 * time.Second, Err: &client.Error{StatusCode: 503, Message: "Starting."}})
	now = now.Add(65 * time.Second)
	d.event(client.JobProgress{
		Stage: api.StageBuilding, Percent: 60, Message: strings.Repeat("long ", 20),
	})
	d.event(client.AssistantMessage{Text: "Hello"})
	d.close()
	d.close()
	status := "1:05  ████████████░░░░░░░░  60 %  building  long long long…"
	want := clearLine + "job 1\n" + clearLine + "0:00" +
		clearLine + "0:00  Starting. Trying again in 30 s." +
		clearLine + status +
		clearLine + "Hello\n" + clearLine + status +
		clearLine
	if out.String() != want {
		t.Errorf("got  %q\nwant %q", out.String(), want)
	}
}

func TestPlainDisplaySaysHowLongASubmissionWaits(t *testing.T) {
	var out strings.Builder
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	d := &plainDisplay{w: &out, now: func() time.Time { return now }}
	d.wait(client.Retry{Delay: 30 * time.Second, Err: &client.Error{StatusCode: 503, Message: "Starting."}, GivesUp: now.Add(7 * time.Minute)})
	d.wait(client.Retry{Delay: 500 * time.Millisecond, Err: errors.Join(io.EOF), GivesUp: now.Add(time.Minute)})
	want := "Starting. Trying again in 30s; giving up in 7m0s.\n" +
		"The service does not answer. Trying again in 500ms; giving up in 1m0s.\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
