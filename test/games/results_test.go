package games

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	reader "github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/test/games/corpus"
)

// goal is one thing that is promised of the corpus.
type goal struct {
	what, want, got string
	reached         bool
}

// load is the average number of processes that want to run, of the last
// minute: above the number of cores, times say more about it than about us.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// outcomes are those that were kept, in the order of the corpus, with their wishes.
func outcomes(all []corpus.Wish) (wishes []corpus.Wish, out []outcome, err error) {
	for _, w := range all {
		data, err := os.ReadFile(filepath.Join(kept, w.Name+".json"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var o outcome
		if err = errors.Join(err, json.Unmarshal(data, &o)); err != nil {
			return nil, nil, fmt.Errorf("the outcome of %s: %w", w.Name, err)
		}
		wishes, out = append(wishes, w), append(out, o)
	}
	return wishes, out, nil
}

// isKept reports whether there is an outcome of a wish from before.
func isKept(w corpus.Wish) bool {
	_, err := os.Stat(filepath.Join(kept, w.Name+".json"))
	return err == nil
}

// writeResults writes RESULTS.md and its pictures.
func writeResults(corpora []corpus.Wish) error {
	wishes, all, err := outcomes(corpora)
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll("shots"), os.MkdirAll("shots", 0o755)); err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString("# Briefs, follow-ups and their games\n\nWritten by `make games`, which makes each game of `corpus/` with the embedded generator, judges it in headless Chromium, and looks at it at 1280x720 and 390x844.\n")
	fmt.Fprintf(&b, "Machine: %d cores, no graphics card, %s/%s. Seconds are wall-clock, of the generator with its judge; the load was %s at the end, this run's own included.\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, load())
	fmt.Fprintf(&b, "Played: %d of %d.\n\n", len(all), len(corpora))
	writeGoals(&b, goals(wishes, all))
	if err := writePictures(&b, all); err != nil {
		return err
	}
	writeTable(&b, all)
	return os.WriteFile("RESULTS.md", []byte(b.String()), 0o644)
}

func writeGoals(b *strings.Builder, all []goal) {
	b.WriteString("| promise | goal | measured | reached |\n|---|---|---|---|\n")
	for _, g := range all {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", g.what, g.want, g.got, map[bool]string{true: "yes", false: "**no**"}[g.reached])
	}
}

func goals(wishes []corpus.Wish, all []outcome) (out []goal) {
	share := func(what, want string, least float64, of []outcome, ok func(outcome) bool) {
		n := 0
		for _, o := range of {
			if ok(o) {
				n++
			}
		}
		part := float64(n) / float64(max(1, len(of)))
		out = append(out, goal{what, want, fmt.Sprintf("%d of %d (%.0f %%)", n, len(of), part*100), part >= least})
	}
	only := func(is func(corpus.Wish, outcome) bool) (out []outcome) {
		for i, o := range all {
			if is(wishes[i], o) {
				out = append(out, o)
			}
		}
		return out
	}
	games := only(func(_ corpus.Wish, o outcome) bool { return o.Refused == "" && !o.Unopened })
	briefs := only(func(w corpus.Wish, o outcome) bool { return w.Brief == "" && o.Refused == "" })
	followUps := only(func(w corpus.Wish, _ outcome) bool { return w.Brief != "" && !w.Want.Nothing() })
	nothing := only(func(w corpus.Wish, _ outcome) bool { return w.Brief != "" && w.Want.Nothing() })
	share("loads without a console error", "100 %", 1, games, func(o outcome) bool { return o.passed("G02", "G03") })
	share("reacts", "100 %", 1, games, func(o outcome) bool { return o.passed("G04", "G05") })
	share("scores", "100 %", 1, games, func(o outcome) bool { return o.passed("G06", "G11") })
	share("ends, or is endless by kind", "100 %", 1, games, func(o outcome) bool { return o.passed("G07") })
	share("restarts", "100 %", 1, games, func(o outcome) bool { return o.passed("G07", "G08") })
	kinds := map[string][]string{}
	for _, w := range wishes {
		kinds[w.Name] = w.Want.Kind
	}
	share("the kind that is named", "100 %", 1, only(func(w corpus.Wish, _ outcome) bool { return w.Brief == "" && len(w.Want.Kind) > 0 }),
		func(o outcome) bool { return slices.Contains(kinds[o.Name], o.Kind) })
	share("a substitute is said", "100 %", 1, only(func(w corpus.Wish, _ outcome) bool { return w.Want.UnmetFirst != "" }), func(o outcome) bool { return o.done() })
	share("all expectations of a brief", "100 %", 1, briefs, outcome.done)
	share("follow-ups done", "80 %", 0.8, followUps, outcome.done)
	share("follow-ups that nothing can or should come of, and nothing does", "100 %", 1, nothing, outcome.done)
	share("follow-ups done or said", "100 %", 1, followUps, func(o outcome) bool { return o.done() || len(o.Unmet) > 0 })
	share("hostile briefs refused or harmless", "100 %", 1, only(func(w corpus.Wish, _ outcome) bool { return strings.HasPrefix(w.Name, "hostile") }),
		func(o outcome) bool { return o.done() && (o.Refused != "" || o.Played) })
	median := func(what string, of []outcome) {
		const limit = 6
		var all []float64
		for _, o := range of {
			if o.Seconds > 0 {
				all = append(all, o.Seconds)
			}
		}
		slices.Sort(all)
		if n := len(all); n > 0 {
			out = append(out, goal{what, fmt.Sprintf("%d s", limit), fmt.Sprintf("median %.2f s, slowest %.2f s", all[n/2], all[n-1]), all[n/2] <= limit})
		}
	}
	median("a brief's game, made and judged", briefs)
	median("a follow-up's", followUps)
	return out
}

// writePictures copies the small pictures and lists them.
func writePictures(b *strings.Builder, all []outcome) error {
	b.WriteString("\n## Pictures, six seconds into each game\n\n| | | |\n|---|---|---|\n")
	const columns = 3
	n := 0
	for _, o := range all {
		data, err := os.ReadFile(filepath.Join(kept, o.Name+".jpg"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err = errors.Join(err, os.WriteFile(filepath.Join("shots", o.Name+".jpg"), data, 0o644)); err != nil {
			return err
		}
		fmt.Fprintf(b, "| ![%s](shots/%s.jpg)<br>%s: %s ", o.Name, o.Name, o.Name, plain(o.Title))
		if n++; n%columns == 0 {
			b.WriteString("|\n")
		}
	}
	if n%columns > 0 {
		b.WriteString(strings.Repeat("| ", columns-n%columns) + "|\n")
	}
	return nil
}

// plain is a text that means nothing to Markdown.
func plain(text string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("|", "/", "<", "‹", ">", "›", "`", "'").Replace(text)), " ")
}

func writeTable(b *strings.Builder, all []outcome) {
	b.WriteString("\n## Each brief and follow-up\n\n| name | request | game | s | unmet | not as expected, or noticed |\n|---|---|---|---|---|---|\n")
	for _, o := range all {
		request := reader.Clip(plain(o.Prompt), 90)
		if o.Brief != "" {
			request = "*" + reader.Clip(plain(o.Brief), 40) + ":* " + request
		}
		if o.Refused != "" {
			fmt.Fprintf(b, "| %s | %s | refused: %s | | | |\n", o.Name, request, plain(o.Refused))
			continue
		}
		var unmet []string
		for _, u := range o.Unmet {
			unmet = append(unmet, reader.Clip(plain(u), 60))
		}
		if len(unmet) > 3 {
			unmet = append(unmet[:3], fmt.Sprintf("and %d more", len(unmet)-3))
		}
		fmt.Fprintf(b, "| %s | %s | %s in %s, %s, %s | %.1f | %s | %s |\n", o.Name, request, o.Kind, o.Theme, o.Renderer, o.Lang, o.Seconds,
			strings.Join(unmet, "; "), plain(strings.Join(append(o.Faults, o.Problems...), "; ")))
	}
}
