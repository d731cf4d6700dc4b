package commands

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// watchEvery is how often the engine proxy is asked for changes.
const watchEvery = 500 * time.Millisecond

// watch prints the engines whenever something has changed, until it is
// interrupted or the engine proxy ends.
func (o *localOptions) watch(c *cobra.Command) error {
	ctx, cancel := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	var shown []byte
	for {
		list, err := o.engines(ctx)
		if ctx.Err() != nil {
			return nil // interrupted: that is how a watch ends
		}
		if err != nil {
			return err
		}
		now, err := json.Marshal(list)
		if err != nil {
			return fmt.Errorf("comparing the engines: %w", err)
		}
		if !bytes.Equal(now, shown) {
			shown = now
			if err := written(c.OutOrStdout(), func(w io.Writer) {
				if o.json {
					fmt.Fprintf(w, "%s\n", now)
					return
				}
				fmt.Fprintln(w, time.Now().Format(time.TimeOnly))
				printEngines(w, list)
			}); err != nil {
				return err
			}
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func printEngines(w io.Writer, list []engineproxy.Info) {
	now := time.Now()
	rows := [][]string{{"PROJECT", "OWNER", "STATE", "FOR", "PID", "REMARK"}}
	for _, e := range list {
		rows = append(rows, []string{
			e.ProjectID, e.OwnerID, stateOf(e), now.Sub(e.Since).Round(time.Second).String(), pidOf(e), remarkOn(e, now),
		})
	}
	printTable(w, rows)
}

func printEngine(w io.Writer, d engineproxy.Details) {
	now := time.Now()
	var fields [][2]string
	add := func(name, value string) {
		if value != "" {
			fields = append(fields, [2]string{name, value})
		}
	}
	add("project", d.ProjectID)
	add("owner", d.OwnerID)
	add("state", fmt.Sprintf("%s for %s", stateOf(d.Info), now.Sub(d.Since).Round(time.Second)))
	add("instance", d.InstanceID)
	if d.Generation > 0 {
		add("generation", strconv.FormatUint(d.Generation, 10))
		add("pid", pidOf(d.Info))
	}
	add("remark", remarkOn(d.Info, now))
	rows := [][]string{{"AT", "FROM", "TO", "CAUSE", "DETAIL"}}
	for _, t := range d.Transitions {
		rows = append(rows, []string{t.At.Format(time.RFC3339), string(t.From), string(t.To), string(t.Cause), t.Detail})
	}
	printFields(w, fields)
	fmt.Fprintln(w)
	printTable(w, rows)
}

func printLog(w io.Writer, l engineLog) {
	text := strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, l.Log)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	fmt.Fprint(w, text)
}

func stateOf(e engineproxy.Info) string {
	if e.Phase != "" {
		return fmt.Sprintf("%s (%s)", e.State, e.Phase)
	}
	return string(e.State)
}

func pidOf(e engineproxy.Info) string {
	if e.PID == 0 {
		return "-"
	}
	return strconv.Itoa(e.PID)
}

// remarkOn says why an engine is kept, or not started.
func remarkOn(e engineproxy.Info, now time.Time) string {
	switch {
	case e.Fatal:
		return e.Failure + " Not tried again before: svc engines reset " + e.ProjectID
	case e.NextStart != nil:
		return fmt.Sprintf("%s Tried again from %s on.", e.Failure, e.NextStart.Local().Format(time.TimeOnly))
	case e.Failure != "":
		return e.Failure
	case e.WouldStopAt != nil:
		return fmt.Sprintf("%s, would stop in %s", e.AliveBecause, max(0, e.WouldStopAt.Sub(now)).Round(time.Second))
	}
	return e.AliveBecause
}
