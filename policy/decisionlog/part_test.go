package decisionlog

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// numbered returns records a second apart, each for its number of decisions.
func numbered(n int) (all []Record) {
	for i := range n {
		r := records()[0]
		r.DecisionID, r.RequestID, r.Count = fmt.Sprintf("d-%d", i), fmt.Sprintf("r-%d", i/2), int64(i)
		r.Timestamp = noon.Add(time.Duration(i) * time.Second)
		all = append(all, r)
	}
	return all
}

func TestOfALogIsCollectedWhatIsAskedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if p, err := Collect(path, Query{}); err != nil || len(p.Lines) > 0 {
		t.Errorf("of no log: %+v, %v", p, err)
	}
	text := written(t, numbered(6))
	if err := os.WriteFile(path, []byte("none\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		q    Query
		want string // the ids, and - for what is no record
		left Part
	}{
		{"all", Query{}, "- 0 1 2 3 4 5", Part{}},
		{"the last", Query{Last: 2}, "4 5", Part{Matched: 4, Decisions: 1 + 1 + 2 + 3, Unreadable: 1}},
		{"a time", Query{Filter: Filter{Since: noon.Add(4 * time.Second)}}, "- 4 5", Part{}},
		{"a decision", Query{ID: "d-3"}, "3", Part{}},
		{"a request", Query{ID: "r-1"}, "2 3", Part{}},
		{"the end", Query{Bytes: int64(len(text)/3) + 100}, "4 5", Part{}},
	} {
		p, err := Collect(path, tt.q)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, line := range strings.Split(strings.TrimSpace(linesOf(t, p)), "\n") {
			id := "-"
			if r, err := show([]byte(line)); err == nil {
				id = strings.TrimPrefix(r.DecisionID, "d-")
			}
			got = append(got, id)
		}
		p.Lines = nil
		if strings.Join(got, " ") != tt.want || p.Matched != tt.left.Matched || p.Decisions != tt.left.Decisions || p.Unreadable != tt.left.Unreadable {
			t.Errorf("%s: got %v, %+v; want %s, %+v", tt.name, got, p, tt.want, tt.left)
		}
	}
	p, err := collect(strings.NewReader(text), Query{}, len(text)/2+100)
	if got := linesOf(t, p); err != nil || p.Matched != 3 || len(got) > len(text)/2+100 || !strings.HasSuffix(text, got) {
		t.Errorf("of half as many bytes are left out %d: %v", p.Matched, err)
	}
}

func linesOf(t *testing.T, p Part) string {
	t.Helper()
	lines, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(lines)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSelectionsOfSeveralLogsAreOneByTime(t *testing.T) {
	all := numbered(6)
	here, there := written(t, []Record{all[0], all[2], all[4]}), written(t, []Record{all[1], all[3], all[5]})
	for last, want := range map[int]string{0: "d-0 d-1 d-2 d-3 d-4 d-5", 2: "d-4 d-5"} {
		s, err := Select(strings.NewReader(here), Filter{}, last)
		if err != nil {
			t.Fatal(err)
		}
		p, err := collect(strings.NewReader(there), Query{Last: last}, maxPart)
		if err == nil {
			err = s.Add(p, Filter{}, last)
		}
		var ids []string
		for _, r := range s.Records {
			ids = append(ids, r.DecisionID)
		}
		if got := strings.Join(ids, " "); err != nil || got != want || s.Matched != 6 || s.Decisions != 1+1+2+3+4+5 {
			t.Errorf("the last %d are %s of %d, %d decisions, %v; want %s", last, got, s.Matched, s.Decisions, err, want)
		}
	}
}
