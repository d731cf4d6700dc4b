package commands

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/svc-games/svc/client"
)

const (
	clearLine = "\r\x1b[K"
	barCells  = 20
)

// terminalDisplay keeps one status line at the bottom of the terminal and
// prints everything else above it.
type terminalDisplay struct {
	w     io.Writer
	width func() int
	now   func() time.Time
	stop  func()
	done  chan struct{}
	ended sync.WaitGroup

	mu       sync.Mutex // guards the following fields and writes to w
	began    time.Time
	progress progress
	waiting  string    // why a submission waits, "" when none does
	until    time.Time // the end of that wait
	closed   bool
}

// newTerminalDisplay redraws the status line at each tick, for the clock in it.
func newTerminalDisplay(w io.Writer, width func() int, now func() time.Time, ticker *time.Ticker) *terminalDisplay {
	d := &terminalDisplay{w: w, width: width, now: now, stop: ticker.Stop, done: make(chan struct{}), began: now()}
	d.ended.Go(func() {
		for {
			select {
			case <-d.done:
				return
			case <-ticker.C:
				d.mu.Lock()
				d.draw()
				d.mu.Unlock()
			}
		}
	})
	return d
}

func (d *terminalDisplay) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fmt.Fprint(d.w, clearLine+line+"\n")
	d.draw()
}

func (d *terminalDisplay) event(e client.Event) {
	if p, ok := progressOf(e); ok {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.progress, d.waiting = p, ""
		d.draw()
		return
	}
	for _, line := range linesOf(e) {
		d.note(line)
	}
}

func (d *terminalDisplay) wait(r client.Retry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting, d.until = waitReason(r), d.now().Add(r.Delay)
	d.draw()
}

func (d *terminalDisplay) close() {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return
	}
	d.closed = true
	fmt.Fprint(d.w, clearLine)
	d.mu.Unlock()
	d.stop()
	close(d.done)
	d.ended.Wait()
}

// draw writes the status line over itself. The caller holds mu.
func (d *terminalDisplay) draw() {
	if d.closed {
		return
	}
	fmt.Fprint(d.w, clearLine+shorten(d.status(), d.width()-1))
}

func (d *terminalDisplay) status() string {
	elapsed := d.now().Sub(d.began).Truncate(time.Second)
	clock := fmt.Sprintf("%d:%02d", int(elapsed.Minutes()), int(elapsed.Seconds())%60)
	if d.waiting != "" {
		left := max(d.until.Sub(d.now()), 0)
		return fmt.Sprintf("%s  %s Trying again in %d s.", clock, d.waiting, int(left.Round(time.Second).Seconds()))
	}
	if d.progress.stage == "" {
		return clock
	}
	full := d.progress.percent * barCells / 100
	bar := strings.Repeat("█", full) + strings.Repeat("░", barCells-full)
	return fmt.Sprintf("%s  %s %3d %%  %s  %s", clock, bar, d.progress.percent, d.progress.stage, d.progress.message)
}

// shorten cuts text to at most width characters.
func shorten(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	if width < 1 {
		return ""
	}
	return string([]rune(text)[:width-1]) + "…"
}

var _ display = (*terminalDisplay)(nil)
