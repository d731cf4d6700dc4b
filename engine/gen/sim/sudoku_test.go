package sim

import (
	"testing"

	"github.com/dop251/goja"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
)

// asked runs an expression over a mechanic's module, m, and reads what it comes to.
func asked(t *testing.T, mechanic, expression string, into any) {
	t.Helper()
	const entry = "asked.js"
	out, err := build.Bundle(t.Context(), build.Options{Entry: entry, GlobalName: "asked", Target: build.Sim, Read: func(name string) ([]byte, error) {
		switch name {
		case entry:
			return []byte("import * as m from './mechanics/" + mechanic + ".js';\nexport const answer = " + expression + ";\n"), nil
		case "core/field.js":
			return compile.Field(spec.Spec{Mechanic: mechanic, Format: spec.Short}), nil
		}
		return kit.Source(name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	vm := goja.New()
	answer, err := vm.RunString(string(counted(out.Script)) + "\n;asked.answer;")
	if err != nil {
		t.Fatal(err)
	}
	vm.SetFieldNameMapper(goja.UncapFieldNameMapper())
	if err := vm.ExportTo(answer, into); err != nil {
		t.Fatal(err)
	}
}

// sudoku is a board of n by n cells with boxes of high by wide.
type sudoku struct {
	N, High, Wide int
	Full          string
	Cells         []int
}

func TestEverySudokuHasOneSolution(t *testing.T) {
	for _, size := range []string{"4", "6", "9"} {
		var boards []sudoku
		asked(t, "sudoku", `[1, 2, 3, 4, 5, 6, 7, 8, 9].map((seed) => m.create(seed, { lives: 3, levels: 1, duration: 0, density: 1, params: { size: `+size+`, level: 1 + seed % 3 } }))`, &boards)
		for i, b := range boards {
			var full []int
			for _, c := range b.Full {
				full = append(full, int(c-'0'))
			}
			whole := sudoku{b.N, b.High, b.Wide, b.Full, full}
			for cell, v := range full {
				full[cell] = 0
				if !whole.may(cell, v) {
					t.Fatalf("size %s, seed %d: %s is no solution", size, i+1, b.Full)
				}
				full[cell] = v
			}
			if n := b.solutions(2); n != 1 {
				t.Errorf("size %s, seed %d: %d solutions", size, i+1, n)
			}
		}
	}
}

func (b sudoku) may(cell, v int) bool {
	row, col := cell/b.N, cell%b.N
	for i, other := range b.Cells {
		r, c := i/b.N, i%b.N
		if other == v && (r == row || c == col || r/b.High == row/b.High && c/b.Wide == col/b.Wide) {
			return false
		}
	}
	return true
}

// solutions counts the ways to fill a board, up to a limit.
func (b sudoku) solutions(limit int) int {
	best, fewest := -1, b.N+1
	for i, v := range b.Cells {
		if v != 0 {
			continue
		}
		n := 0
		for d := 1; d <= b.N; d++ {
			if b.may(i, d) {
				n++
			}
		}
		if n < fewest {
			best, fewest = i, n
		}
	}
	if best < 0 {
		return 1
	}
	n := 0
	for d := 1; d <= b.N && n < limit; d++ {
		if b.may(best, d) {
			b.Cells[best] = d
			n += b.solutions(limit - n)
			b.Cells[best] = 0
		}
	}
	return n
}
