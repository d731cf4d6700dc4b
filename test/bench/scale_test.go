package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/test/long"
	"github.com/svc-games/svc/test/rig"
)

// scalePage is what make scale writes.
const scalePage = "docs/scale.md"

// growing are the sections of the page that are measured, in their order. What is reckoned
// from their figures comes after them.
var growing = []struct {
	name        string // of the part of TestGrowth that measures it
	title, note string
	head        []string
	figures     []string // that it finds
	measure     func(*report, *section)
}{
	{"kept", "What is kept", keptNote, []string{"row", "bytes"}, nil, (*report).rowsKept},
	{"found", "What is found among it", foundNote, []string{"users, keys and projects", "jobs", "reserve and commit, p50", "p99", "check of a key, p50"}, []string{slower}, (*report).found},
	{"streams", "Event streams", streamsNote, []string{"open", "KiB of the gateway's memory a stream"}, []string{memory}, (*report).heldStreams},
	{"sidecars", "A sidecar in each gateway", sidecarsNote, []string{"gateways", "transactions a second", "connections"}, []string{idling, connections, mostConnections}, (*report).idleSidecars},
	{"gateways", "Gateways over one sidecar and one engine proxy", gatewaysNote, []string{"gateways", "sidecar", "engine proxy"}, []string{idleSidecar, idleProxy}, (*report).idleGateways},
	{"costs", "What a request asks of the parts", costsNote, []string{"request", "transactions", "gateway", "sidecars", "engine proxy"}, costFigures(), (*report).costs},
	{"store", "Submissions in one PostgreSQL", storeNote, []string{"sidecars", "pairs a second", "p99"}, []string{pairsASecond}, (*report).sharedStore},
}

// Figures that sections find and that the last ones reckon with.
const (
	slower          = "reserve and commit among the most rows, by those among the fewest"
	memory          = "KiB of memory a stream"
	idling          = "transactions a second of an idle sidecar"
	connections     = "connections of a busy sidecar"
	mostConnections = "connections that PostgreSQL takes as it comes"
	idleSidecar     = "thousandths of a core of the sidecar, an idle gateway"
	idleProxy       = "thousandths of a core of the engine proxy, an idle gateway"
	pairsASecond    = "pairs of reserve and commit a second"
)

// figure notes a figure under the section's table.
func (s *section) figure(name string, value float64) {
	s.figures = append(s.figures, fmt.Sprintf("- %s: **%s**", name, strconv.FormatFloat(value, 'g', 3, 64)))
}

var figureLine = regexp.MustCompile(`(?m)^- (.+): \*\*(.+)\*\*$`)

// figures reads those of a page.
func figures(t *testing.T, page string) map[string]float64 {
	t.Helper()
	all := make(map[string]float64)
	for _, found := range figureLine.FindAllStringSubmatch(page, -1) {
		value, err := strconv.ParseFloat(found[2], 64)
		if err != nil {
			t.Fatalf("the figure %q: %v", found[1], err)
		}
		all[found[1]] = value
	}
	return all
}

// TestGrowth measures what docs/scale.md says of growth, in full for make scale and else, in the
// long run, as short as can be. With -run TestGrowth/NAME and -write a page keeps its other sections.
func TestGrowth(t *testing.T) {
	r := &report{t: t, full: *results != ""}
	if !r.full {
		long.Only(t)
	}
	for _, g := range growing {
		t.Run(g.name, func(t *testing.T) { // what it starts ends before the next one begins
			r.t = t
			s := r.section(g.title, g.note, g.head...)
			begun := time.Now()
			g.measure(r, s)
			t.Logf("%s, in %.0f s\n%v\n%v\n%v", s.title, time.Since(begun).Seconds(), s.head, s.rows, s.figures)
			for i, name := range g.figures {
				if len(s.figures) != len(g.figures) || !strings.HasPrefix(s.figures[i], "- "+name+": **") {
					t.Errorf("it found %q and was to find %q", s.figures, g.figures)
				}
			}
		})
		if t.Failed() {
			return
		}
	}
	if r.t = t; r.full {
		former, _ := os.ReadFile(*results) // there need be none
		r.save(*results, r.growth(string(former)))
	}
}

const scaleIntro = `# What grows

Made by ` + "`make scale`" + ` on %s. Don't edit.

%s

What the service takes as users, keys, projects, jobs, streams, events and gateways become more; what becomes the limit, and what then
replaces it. The first sections are measured, all on this one machine; the others are reckoned from the figures below the tables, and
` + "`make test`" + ` reckons them again. Ratios count, absolutes don't.
`

// growth is the page: what was measured now, what a former page has of the rest, and what
// follows from both.
func (r *report) growth(former string) string {
	var out strings.Builder
	fmt.Fprintf(&out, scaleIntro, time.Now().UTC().Format("2006-01-02 15:04 UTC"), machine(r.t))
	for _, g := range growing {
		text := sectionOf(former, g.title)
		for _, s := range r.sections {
			if s.title == g.title {
				text = s.String()
			}
		}
		if text == "" {
			r.t.Fatalf("nobody measured %q", g.title)
		}
		fmt.Fprintf(&out, "\n%s", text)
	}
	for _, s := range reckoned(figures(r.t, out.String())) {
		fmt.Fprintf(&out, "\n%s", s)
	}
	return out.String()
}

// sectionOf is a section of a page, "" where it has none of that title.
func sectionOf(page, title string) string {
	_, text, found := strings.Cut(page, "\n## "+title+"\n")
	if !found {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return "## " + title + "\n" + strings.TrimRight(text, "\n") + "\n"
}

// TestPageOfGrowthIsThatOfTheCode: its sections are those that are measured, and what is
// reckoned follows from its own figures.
func TestPageOfGrowthIsThatOfTheCode(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join(rig.Root(t), scalePage))
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	found := figures(t, page)
	var titles []string
	for _, g := range growing {
		titles = append(titles, g.title)
		text := sectionOf(page, g.title)
		begin := (&section{title: g.title, note: g.note, head: g.head}).String()
		if rest, same := strings.CutPrefix(text, begin); !same || !strings.HasPrefix(rest, "| ") {
			t.Errorf("the page has\n%swhich is to begin with\n%s", text, begin)
		}
		for _, name := range g.figures {
			if _, is := found[name]; !is {
				t.Errorf("the page has no figure %q", name)
			}
		}
	}
	for _, s := range reckoned(found) {
		titles = append(titles, s.title)
		if text := sectionOf(page, s.title); text != s.String() {
			t.Errorf("the page has\n%swhere its own figures make\n%s", text, s)
		}
	}
	var there []string
	for _, title := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(page, -1) {
		there = append(there, title[1])
	}
	if strings.Join(there, "\n") != strings.Join(titles, "\n") {
		t.Errorf("its sections are %q and not %q", there, titles)
	}
}
