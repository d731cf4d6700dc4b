package games

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	reader "github.com/svc-games/svc/engine/gen/brief"
)

const shotWidth = 200 // pixels of a picture in the results

// goal is one thing that is promised of the corpus.
type goal struct {
	what    string
	want    string
	got     string
	reached bool
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

// writeResults writes RESULTS.md and its pictures; began is the load at the
// start.
func writeResults(all []outcome, began string) error {
	if err := os.RemoveAll("shots"); err != nil {
		return err
	}
	if err := os.MkdirAll("shots", 0o755); err != nil {
		return err
	}
	var made []outcome
	for _, o := range all {
		if o.refused != nil {
			continue
		}
		made = append(made, o)
		small, err := shrink(o.mid)
		if err != nil {
			return fmt.Errorf("shrinking the picture of %s: %w", o.brief.name, err)
		}
		if err := os.WriteFile(filepath.Join("shots", o.brief.name+".jpg"), small, 0o644); err != nil {
			return err
		}
	}
	var b strings.Builder
	b.WriteString("# Sixty briefs and their games\n\nWritten by `make games`, which makes each game with the embedded generator and plays it in headless Chromium.\n")
	fmt.Fprintf(&b, "Machine: %d cores, no graphics card, %s/%s. Times are wall-clock; the load was %s at the start and %s at the end, this run's own included.\n\n", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH, began, load())
	b.WriteString("| promise | goal | measured | reached |\n|---|---|---|---|\n")
	for _, g := range goals(all, made) {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", g.what, g.want, g.got, map[bool]string{true: "yes", false: "**no**"}[g.reached])
	}
	writePictures(&b, made)
	writeTable(&b, all)
	return os.WriteFile("RESULTS.md", []byte(b.String()), 0o644)
}

func goals(all, made []outcome) []goal {
	var out []goal
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
	shorts := slices.DeleteFunc(slices.Clone(made), func(o outcome) bool { return o.brief.kind != short })
	fresh := slices.DeleteFunc(slices.Clone(made), func(o outcome) bool { return o.brief.after != "" || o.brief.hostile })
	followUps := slices.DeleteFunc(slices.Clone(made), func(o outcome) bool { return o.brief.after == "" })
	share("loads without a console error", "100 %", 1, made, func(o outcome) bool { return o.passed("G02", "G03") })
	share("reacts to a tap (twin runs)", "100 %", 1, made, func(o outcome) bool { return o.passed("G04", "G05") })
	share("scores", "100 %", 1, made, func(o outcome) bool { return o.passed("G06", "G11") })
	share("ends", "100 %", 1, made, func(o outcome) bool { return o.passed("G07") })
	share("restarts by one tap, afresh", "100 %", 1, made, func(o outcome) bool { return o.passed("G08") && o.passed("G07") })
	share("skill ratio over 1.5, short games, simulated on three seeds", "95 %", 0.95, shorts, func(o outcome) bool { return o.simRatio > 1.5 })
	share("follow-ups that made the change", "100 %", 1, followUps, func(o outcome) bool { return o.changed && o.brief.want(o.before, o.spec) })
	hostile := slices.DeleteFunc(slices.Clone(all), func(o outcome) bool { return !o.brief.hostile })
	share("hostile briefs refused or harmless", "100 %", 1, hostile, func(o outcome) bool { return o.refused != nil || o.played })
	pairs, differ := 0, 0
	for i, a := range fresh {
		for _, b := range fresh[i+1:] {
			pairs++
			if a.spec.Mechanic != b.spec.Mechanic || a.spec.Theme != b.spec.Theme {
				differ++
			}
		}
	}
	part := float64(differ) / float64(max(1, pairs))
	out = append(out, goal{"pairs of briefs that differ in mechanic or theme", "90 %", fmt.Sprintf("%d of %d (%.1f %%)", differ, pairs, part*100), part >= 0.9})
	times := func(what string, limit time.Duration, of func(outcome) time.Duration) {
		var all []time.Duration
		within := 0
		for _, o := range shorts {
			all = append(all, of(o))
			if of(o) <= limit {
				within++
			}
		}
		slices.Sort(all)
		out = append(out, goal{
			what, fmt.Sprintf("%.0f s", limit.Seconds()),
			fmt.Sprintf("median %.2f s, slowest %.2f s, %d of %d within", all[len(all)/2].Seconds(), all[len(all)-1].Seconds(), within, len(all)), within == len(all),
		})
	}
	times("a short game, simulation only", time.Second, func(o outcome) time.Duration { return o.simTime })
	times("a short game with its playtest in the browser", 5*time.Second, func(o outcome) time.Duration { return o.fullTime })
	return out
}

func writePictures(b *strings.Builder, made []outcome) {
	b.WriteString("\n## Pictures, ten seconds into each game\n\n")
	const columns = 6
	for i := 0; i < len(made); i += columns {
		row := made[i:min(i+columns, len(made))]
		if i == 0 {
			b.WriteString(strings.Repeat("| ", columns) + "|\n" + strings.Repeat("|---", columns) + "|\n")
		}
		for _, o := range row {
			fmt.Fprintf(b, "| ![%s](shots/%s.jpg)<br>%s ", o.brief.name, o.brief.name, o.spec.Title)
		}
		b.WriteString("|\n")
	}
}

func writeTable(b *strings.Builder, all []outcome) {
	b.WriteString("\n## Each brief\n\nThe skill ratio is that of the simulation. Times are in milliseconds: simulation only, then with the browser.\n\n")
	b.WriteString("| brief | request | game | ratio | ms | not met, or noticed |\n|---|---|---|---|---|---|\n")
	for _, o := range all {
		request := reader.Clip(strings.Join(strings.Fields(strings.NewReplacer("|", "/", "<", "‹", ">", "›", "`", "'").Replace(o.brief.prompt)), " "), 90)
		if o.brief.after != "" {
			request = "*after " + o.brief.after + ":* " + request
		}
		if o.refused != nil {
			fmt.Fprintf(b, "| %s | %s | refused: %v | | | |\n", o.brief.name, request, o.refused)
			continue
		}
		var notes []string
		for _, u := range o.unmet {
			notes = append(notes, reader.Clip(strings.NewReplacer("|", "/", "<", "‹", ">", "›", "`", "'", "\n", " ").Replace(u), 60))
		}
		if len(notes) > 3 {
			notes = append(notes[:3], fmt.Sprintf("and %d more", len(notes)-3))
		}
		for _, c := range o.report.Failed(false) {
			notes = append(notes, c.Rule+" "+c.Note)
		}
		fmt.Fprintf(b, "| %s | %s | %s in %s, %s, %s | %.1f | %d, %d | %s |\n", o.brief.name, request, o.spec.Mechanic, o.spec.Theme, o.spec.Renderer, o.spec.Lang,
			o.simRatio, o.simTime.Milliseconds(), o.fullTime.Milliseconds(), strings.Join(notes, "; "))
	}
}

// shrink makes a picture small by averaging.
func shrink(data []byte) ([]byte, error) {
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	w := shotWidth
	k := float64(img.Bounds().Dx()) / float64(w)
	h := int(float64(img.Bounds().Dy()) / k)
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			var sum [3]uint32
			var n uint32
			for sy := int(float64(y) * k); sy < int(float64(y+1)*k); sy++ {
				for sx := int(float64(x) * k); sx < int(float64(x+1)*k); sx++ {
					r, g, bl, _ := img.At(sx, sy).RGBA()
					sum[0], sum[1], sum[2], n = sum[0]+r>>8, sum[1]+g>>8, sum[2]+bl>>8, n+1
				}
			}
			small.SetRGBA(x, y, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
	var out bytes.Buffer
	err = jpeg.Encode(&out, small, &jpeg.Options{Quality: 78})
	return out.Bytes(), err
}
