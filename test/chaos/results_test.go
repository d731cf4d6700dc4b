package chaos

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// resultsEnv names the file to which a long run writes what it found.
const resultsEnv = "SVC_CHAOS_RESULTS"

// outcome is what one run found.
type outcome struct {
	intruder *intruder // nil: none
	form     string
	kills    int64
	points   map[string]int // deaths at named points
	jobs     int64          // accepted
	undone   int64          // reservations released
	events   int64          // of players, that were kept; 0 for a run that is of jobs
	wrong    int
	blind    bool
	took     time.Duration
}

// outcomes collects those of all runs of the process.
var outcomes struct {
	sync.Mutex
	list []outcome
}

func (o outcome) note() {
	outcomes.Lock()
	defer outcomes.Unlock()
	outcomes.list = append(outcomes.list, o)
}

// writeResults writes the page of the outcomes, where the environment says so.
func writeResults() error {
	path := os.Getenv(resultsEnv)
	if path == "" || len(outcomes.list) == 0 {
		return nil
	}
	var out strings.Builder
	fmt.Fprintf(&out, "# Killed\n\nMade by `make chaos` on %s, %d cores, %s/%s, %s. Don't edit.\n\n", time.Now().UTC().Format("2006-01-02 15:04 UTC"),
		runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version())
	out.WriteString("Processes are ended with SIGKILL every 30 to 150 ms, at random and at named points, while clients submit and engines " +
		"refuse a quarter. Afterwards jobs accepted by engines must be the jobs committed, every slot free, every sum of TIK exact, and " +
		"no limit ever exceeded. In the service, one engine that is killed like the others is hostile: it lies in its feed, answers with evil " +
		"archives and floods its log. What it does must cost nobody but its own user. A reaper that releases by time alone is run in the same harness and must be found out.\n\n" +
		"| what | kills | jobs accepted | reservations released | jobs of the hostile engine (ended as internal) | errors in the books | minutes |\n|---|---|---|---|---|---|---|\n")
	for _, o := range outcomes.list {
		if o.events > 0 {
			continue
		}
		wrong := fmt.Sprint(o.wrong)
		if o.blind {
			wrong += ", as they must be"
		}
		hostile := "–"
		if o.intruder != nil {
			hostile = fmt.Sprintf("%d (%d)", o.intruder.jobs, o.intruder.broken)
		}
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %s | %s | %.1f |\n", o.form, o.kills, o.jobs, o.undone, hostile, wrong, o.took.Minutes())
	}
	out.WriteString("\nProcesses that keep events of players are ended in the same way, while cap and balance of two games are used up. Afterwards each event must " +
		"be kept once, blocks of 1,000 charged as they were granted, one at most ahead, and no balance below zero.\n\n" +
		"| what | kills | events kept | errors in the books | minutes |\n|---|---|---|---|---|\n")
	for _, o := range outcomes.list {
		if o.events > 0 {
			fmt.Fprintf(&out, "| %s | %d | %d | %d | %.1f |\n", o.form, o.kills, o.events, o.wrong, o.took.Minutes())
		}
	}
	out.WriteString("\nDeaths at named points:\n\n| what | point | deaths |\n|---|---|---|\n")
	for _, o := range outcomes.list {
		for _, point := range slices.Sorted(maps.Keys(o.points)) {
			fmt.Fprintf(&out, "| %s | %s | %d |\n", o.form, point, o.points[point])
		}
	}
	return os.WriteFile(path, []byte(out.String()), 0o644)
}
