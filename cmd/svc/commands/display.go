package commands

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"

	"github.com/svc-games/svc/client"
)

// display shows people what happens while they wait. Its methods are called
// by one goroutine.
type display interface {
	// note shows one line.
	note(line string)
	// event shows what there is to show of a job's event.
	event(e client.Event)
	// wait shows that a submission is tried again later.
	wait(r client.Retry)
	// close leaves the terminal tidy. It may be called twice.
	close()
}

// newDisplay returns a display on w: with a status line on a terminal, plain
// lines elsewhere.
func newDisplay(w io.Writer) display {
	if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) && os.Getenv("TERM") != "dumb" {
		width := func() int {
			columns, _, err := term.GetSize(int(file.Fd()))
			if err != nil || columns <= 0 {
				return 80
			}
			return columns
		}
		return newTerminalDisplay(file, width, time.Now, time.NewTicker(time.Second))
	}
	return &plainDisplay{w: w, now: time.Now}
}

// plainDisplay writes lines that stay: for logs and pipes.
type plainDisplay struct {
	w     io.Writer
	now   func() time.Time
	stage string
}

func (d *plainDisplay) note(line string) { fmt.Fprintln(d.w, line) }

func (d *plainDisplay) event(e client.Event) {
	if p, ok := progressOf(e); ok {
		if p.stage != d.stage {
			d.stage = p.stage
			d.note(fmt.Sprintf("%3d %%  %s: %s", p.percent, p.stage, p.message))
		}
		return
	}
	for _, line := range linesOf(e) {
		d.note(line)
	}
}

func (d *plainDisplay) wait(r client.Retry) {
	d.note(fmt.Sprintf("%s Trying again in %s; giving up in %s.", waitReason(r), round(r.Delay), round(r.GivesUp.Sub(d.now()))))
}

func (d *plainDisplay) close() {}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Second)
}

var _ display = (*plainDisplay)(nil)
