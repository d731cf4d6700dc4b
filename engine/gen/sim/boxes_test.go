package sim

import (
	"strings"
	"testing"
)

func TestEveryBoardOfBoxesIsSolvedByItsMoves(t *testing.T) {
	var levels [][2]string
	asked(t, "pushbox", "m.LEVELS", &levels)
	if len(levels) < 12 {
		t.Errorf("there are %d levels", len(levels))
	}
	for _, level := range levels {
		rows := strings.Split(level[0], "|")
		cells, wide := []byte(strings.Join(rows, "")), len(rows[0])
		hero := strings.IndexAny(string(cells), "@+")
		by := map[rune]int{'l': -1, 'r': 1, 'u': -wide, 'd': wide}
		boxes := map[int]bool{}
		for i, c := range cells {
			if c == '$' {
				boxes[i] = true
			}
		}
		for _, move := range strings.ToLower(level[1]) {
			hero += by[move]
			if boxes[hero] {
				delete(boxes, hero)
				boxes[hero+by[move]] = true
			}
			for box := range boxes {
				if cells[hero] == '#' || cells[box] == '#' || boxes[hero] {
					t.Fatalf("%s: %s walks into something", level[0], level[1])
				}
			}
		}
		for box := range boxes {
			if cells[box] != '.' && cells[box] != '+' {
				t.Errorf("%s: a box stays outside", level[0])
			}
		}
		if len(boxes) != strings.Count(level[0], "$") || len(boxes) != strings.Count(level[0], ".")+strings.Count(level[0], "+") {
			t.Errorf("%s: boxes and marks differ in number", level[0])
		}
	}
}
