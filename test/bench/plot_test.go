package bench

import (
	"encoding/xml"
	"fmt"
	"strings"
	"testing"
)

// spent is how much a figure takes of its budget: 1 is all of it.
type spent struct {
	what  string
	share float64
}

// Sizes of the plot, in its own units. The budget stands in the middle of the bars; one that
// is more than twice its budget ends at the edge.
const (
	plotNames, plotBars, plotNumbers = 430, 300, 60
	plotLine                         = 20
	plotMost                         = 2.0
)

// plot draws how much of its budget each figure takes, "" where none has one.
func plot(sections []*section) string {
	var all []spent
	for _, s := range sections {
		all = append(all, s.used...)
	}
	if len(all) == 0 {
		return ""
	}
	width, height := plotNames+plotBars+plotNumbers, plotLine*(len(all)+2)
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" font-family="sans-serif" font-size="12">`+"\n", width, height, width)
	fmt.Fprintf(&out, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	budget := plotNames + plotBars/plotMost
	fmt.Fprintf(&out, `<text x="%.0f" y="%d" text-anchor="middle" fill="#222">the budget</text>`+"\n", budget, plotLine-6)
	for i, u := range all {
		y := plotLine * (i + 1)
		fill, says := "#2a7f4f", fmt.Sprintf("%.2f", u.share)
		if u.share > 1 {
			fill, says = "#c2410c", says+" ✗"
		}
		long := min(u.share, plotMost) / plotMost * plotBars
		fmt.Fprintf(&out, `<text x="%d" y="%d" text-anchor="end" fill="#222">%s</text>`, plotNames-8, y+14, escaped(u.what))
		fmt.Fprintf(&out, `<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>`, plotNames, y+3, max(long, 1), plotLine-6, fill)
		fmt.Fprintf(&out, `<text x="%.1f" y="%d" fill="#222">%s</text>`+"\n", plotNames+long+5, y+14, says)
	}
	fmt.Fprintf(&out, `<line x1="%.0f" y1="%d" x2="%.0f" y2="%d" stroke="#222" stroke-dasharray="4 3"/>`+"\n</svg>\n", budget, plotLine, budget, height-plotLine/2)
	return out.String()
}

func escaped(text string) string {
	var out strings.Builder
	_ = xml.EscapeText(&out, []byte(text)) // a builder takes everything
	return out.String()
}

func TestThePlotHasABarOfEachBudgetAndMarksWhatMissesIt(t *testing.T) {
	s := &section{title: "Polls & more"}
	if !s.kept("half", share(1.0, 2.0)) || s.kept("thrice", 0.5, 3) {
		t.Error("what is kept is missed, or the other way round")
	}
	picture := plot([]*section{s, {title: "without budgets"}})
	for _, want := range []string{
		">Polls &amp; more: half<", `width="75.0"`, ">0.50<",
		">Polls &amp; more: thrice<", `width="300.0"`, ">3.00 ✗<",
	} {
		if !strings.Contains(picture, want) {
			t.Errorf("the plot lacks %s", want)
		}
	}
	if err := xml.Unmarshal([]byte(picture), new(struct{})); err != nil {
		t.Errorf("it is no XML: %v", err)
	}
	if plot(nil) != "" {
		t.Error("of nothing there is a plot")
	}
}
