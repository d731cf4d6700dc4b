package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/test/rig"
)

// rounds is how often what is compared is measured in a full run, by turns.
const rounds = 5

// report is what a run found out.
type report struct {
	t        *testing.T
	full     bool
	sections []*section
}

// section is one table.
type section struct {
	title, note string
	head        []string
	rows        [][]string
	used        []spent
	profiles    []string // of what missed its budget
	figures     []string // that other sections reckon with: a line each
}

func (r *report) section(title, note string, head ...string) *section {
	s := &section{title: title, note: note, head: head}
	r.sections = append(r.sections, s)
	return s
}

func (s *section) row(cells ...any) {
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = fmt.Sprint(c)
	}
	s.rows = append(s.rows, texts)
}

// n returns how often something is to be done: as often as given in a full run.
func (r *report) n(full int) int {
	if r.full {
		return full
	}
	return 1
}

// last returns how long something is to be done.
func (r *report) last(full time.Duration) time.Duration {
	if r.full {
		return full
	}
	return full / 20
}

// hold fails a short run, which writes no page, when a value is that far from its budget
// that the machine can't be the cause.
func (r *report) hold(ok bool, format string, args ...any) {
	r.t.Helper()
	if !ok && !r.full {
		r.t.Errorf(format, args...)
	}
}

// verdict says whether a measured value keeps its budget.
func verdict(ok bool) string {
	if ok {
		return "kept"
	}
	return "**missed**"
}

// kept says whether measured values keep their budgets, of each of which it takes the share
// that is used: at most one. The largest of them is in the plot.
func (s *section) kept(what string, shares ...float64) (ok bool) {
	most := slices.Max(shares)
	s.used = append(s.used, spent{s.title + ": " + what, most})
	return most <= 1
}

// share is how much a value uses of a budget that is the most it may be.
func share[T int64 | float64 | time.Duration](measured, budget T) float64 {
	return float64(measured) / float64(budget)
}

// median returns the middle one of some values.
func median[T int64 | float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// quantile returns a value that a share of the values is not above.
func quantile(values []time.Duration, share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[min(len(sorted)-1, int(share*float64(len(sorted))))]
}

func micros(d time.Duration) string { return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1000) }

func millis(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000) }

// write puts the report where people look for it.
func (r *report) write(path, command string) {
	var out strings.Builder
	fmt.Fprintf(&out, "# Measured\n\nMade by `%s` on %s. Don't edit.\n\n%s\n\nLoopback only. Ratios within this run count, "+
		"absolutes don't: other programs may have run on the machine.\n", command, time.Now().UTC().Format("2006-01-02 15:04 UTC"), machine(r.t))
	if picture := plot(r.sections); picture != "" {
		beside := strings.TrimSuffix(path, filepath.Ext(path)) + ".svg"
		fmt.Fprintf(&out, "\n![How much of its budget each figure takes](%s)\n", filepath.Base(beside))
		r.save(beside, picture)
	}
	for _, s := range r.sections {
		fmt.Fprintf(&out, "\n%s", s)
	}
	r.save(path, out.String())
}

// String is the section as it stands on a page.
func (s *section) String() string {
	var out strings.Builder
	fmt.Fprintf(&out, "## %s\n\n", s.title)
	if s.note != "" {
		fmt.Fprintf(&out, "%s\n\n", s.note)
	}
	fmt.Fprintf(&out, "| %s |\n|%s\n", strings.Join(s.head, " | "), strings.Repeat("---|", len(s.head)))
	for _, cells := range s.rows {
		fmt.Fprintf(&out, "| %s |\n", strings.Join(cells, " | "))
	}
	for _, profile := range s.profiles {
		fmt.Fprintf(&out, "\n%s", profile)
	}
	if len(s.figures) > 0 {
		fmt.Fprintf(&out, "\n%s\n", strings.Join(s.figures, "\n"))
	}
	return out.String()
}

func (r *report) save(path, text string) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

// machine describes where the run took place.
func machine(t *testing.T) string {
	model := "unknown processor"
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	load, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		t.Fatal(err)
	}
	commit := "unknown"
	cmd := exec.Command("git", "rev-parse", "--short", "HEAD")
	cmd.Dir = rig.Root(t)
	if out, err := cmd.Output(); err == nil {
		commit = strings.TrimSpace(string(out))
	}
	return fmt.Sprintf("%s, %d cores, %s/%s, %s, commit %s, load average at the end %s.",
		model, runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, runtime.Version(), commit,
		strings.Join(strings.Fields(string(load))[:3], " "))
}
