package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

// batchOptions are the flags of svc batch.
type batchOptions struct {
	clientOptions
	dir      string
	parallel int
	again    bool
}

func batchCommand() *cobra.Command {
	o := &batchOptions{}
	c := &cobra.Command{
		Use:   "batch FILE",
		Short: "Generate a game for each brief of a file",
		Long: `Batch generates a game for each line of FILE ("-" is standard input), each in a folder
of DIR named after the line's id. A line is a JSON object with a "prompt" and, optionally,
"id" (default: the line's number), "name" of the new project, "projectId" of a project to
change, and "instructions", "context", "skills", "settings" and "webhook" as in POST /v1/generate.

Progress is kept in DIR. The same command goes on after an interruption and submits no
job twice; lines may be added to FILE. At a limit of concurrent jobs it waits; at a limit
per day or month it stops, and goes on when it is run again. Lines with the same
"projectId" run one after the other. A line that fails does not stop other projects.`,
		Example: `  echo '{"id": "fish", "prompt": "a calm fishing game"}' >briefs.jsonl
  svc batch briefs.jsonl -o games --parallel 4`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
	}
	o.register(c)
	c.Flags().StringVarP(&o.dir, "output", "o", "", "`DIR` for the games, one folder each")
	c.Flags().IntVar(&o.parallel, "parallel", 2, "games generated at a time, at most 64")
	c.Flags().BoolVar(&o.again, "again", false, "submit lines again whose job failed or was cancelled")
	require(c, "output")
	return c
}

func (o *batchOptions) run(c *cobra.Command, file string) error {
	if o.parallel < 1 || o.parallel > 64 {
		return misused("--parallel must be from 1 to 64")
	}
	lines, err := readBatch(c.InOrStdin(), file)
	if err != nil {
		return &codedError{exitUsage, err}
	}
	if err := os.MkdirAll(o.dir, 0o755); err != nil {
		return fmt.Errorf("making directory: %w", err)
	}
	book, err := openBook(filepath.Join(o.dir, bookName))
	if err != nil {
		return err
	}
	defer book.close()
	for _, line := range lines {
		if known := book.of(line.ID); known.Line != "" && known.Line != line.sum {
			return misused("%s: line %d has changed since id %q was generated into %s; give it another id", file, line.number, line.ID, o.dir)
		}
	}
	d := &sharedDisplay{display: &plainDisplay{w: c.ErrOrStderr()}}
	return o.callShown(c, d, func(ctx context.Context, service *client.Client) error {
		b := &batch{service: service, book: book, display: d, dir: o.dir, again: o.again}
		err := b.run(ctx, lines, o.parallel)
		return errors.Join(err, o.show(c, lines, book), b.end(ctx, lines))
	})
}

// show prints what became of each line.
func (o *batchOptions) show(c *cobra.Command, lines []batchLine, book *book) error {
	entries := make([]batchEntry, len(lines))
	for i, line := range lines {
		entries[i] = book.of(line.ID)
		entries[i].ID, entries[i].Line = line.ID, ""
	}
	if o.json {
		return printJSON(c.OutOrStdout(), entries)
	}
	table := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ID\tSTATUS\tTIK\tJOB\tGAME")
	for _, e := range entries {
		status, place := string(e.Status), e.Said
		if e.Unpacked && e.Said == "" {
			place = filepath.Join(o.dir, e.ID)
		}
		status = cmp.Or(status, "not begun")
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", e.ID, status, e.TIK, e.JobID, printable(place))
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("printing result: %w", err)
	}
	return nil
}

// batch is one run of svc batch.
type batch struct {
	service *client.Client
	book    *book
	display *sharedDisplay
	dir     string
	again   bool

	failures atomic.Int64 // lines in a row for which the service failed

	mu      sync.Mutex
	stopped error // why nothing more is begun
}

// run generates the games of lines, so many at a time.
func (b *batch) run(ctx context.Context, lines []batchLine, parallel int) error {
	queue := make(chan []batchLine)
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for group := range queue {
				b.inOrder(ctx, group)
			}
		})
	}
	for _, group := range byProject(lines) {
		if b.why() != nil || ctx.Err() != nil {
			break
		}
		select {
		case queue <- group:
		case <-ctx.Done():
		}
	}
	close(queue)
	workers.Wait()
	if ctx.Err() != nil {
		return &codedError{exitInterrupted, errors.New("interrupted; accepted jobs go on, and running the command again continues with them")}
	}
	return b.why()
}

// byProject groups lines that change one project, which has one job after the other; all
// else is a group of its own. Groups are in the order of their first lines.
func byProject(lines []batchLine) (groups [][]batchLine) {
	of := map[string]int{}
	for _, line := range lines {
		at, known := of[line.ProjectID]
		if known && line.ProjectID != "" {
			groups[at] = append(groups[at], line)
			continue
		}
		of[line.ProjectID] = len(groups)
		groups = append(groups, []batchLine{line})
	}
	return groups
}

// inOrder generates one game after the other.
func (b *batch) inOrder(ctx context.Context, group []batchLine) {
	for _, line := range group {
		if b.why() != nil || ctx.Err() != nil {
			return
		}
		if err := b.one(ctx, line); err != nil {
			b.stop(fmt.Errorf("%s: %w", line.ID, err))
		}
		if !b.book.of(line.ID).Status.Terminal() {
			return // it goes on before what is after it
		}
	}
}

// stop has nothing more begun.
func (b *batch) stop(why error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.stopped == nil {
		b.stopped = why
	}
}

func (b *batch) why() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.stopped
}

// end returns the error of a batch whose every job has ended, if not all are completed.
func (b *batch) end(ctx context.Context, lines []batchLine) error {
	if ctx.Err() != nil || b.why() != nil {
		return nil // which is said
	}
	var failed []string
	for _, line := range lines {
		if e := b.book.of(line.ID); e.Status != api.JobCompleted || !e.Unpacked {
			failed = append(failed, line.ID)
		}
	}
	if len(failed) > 0 {
		return &codedError{exitJobFailed, fmt.Errorf("not completed: %s; run the command again to continue, with --again to resubmit what failed", strings.Join(failed, ", "))}
	}
	return nil
}

// sharedDisplay is a display that several goroutines write lines to.
type sharedDisplay struct {
	mu sync.Mutex
	display
}

func (d *sharedDisplay) note(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.display.note(line)
}

func (d *sharedDisplay) wait(r client.Retry) {
	d.note(waitReason(r) + " Trying again in " + round(r.Delay).String() + ".")
}
