package merge_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/svc-games/svc/engine/merge"
)

func TestChangesOfOtherLinesAreBothKeptAndOfTheSameLineMineIs(t *testing.T) {
	const base = "a\nb\nc\nd\ne\n"
	for name, tt := range map[string]struct {
		mine, theirs, want string
		kept               bool
	}{
		"other lines":         {"A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "A\nb\nc\nd\nE\n", true},
		"the same line":       {"a\nb\nmine\nd\ne\n", "a\nb\ntheirs\nd\ne\n", "a\nb\nmine\nd\ne\n", false},
		"the same, elsewhere": {"a\nb\nmine\nd\ne\n", "A\nb\ntheirs\nd\ne\n", "A\nb\nmine\nd\ne\n", false},
		"the same change":     {"a\nb\nX\nd\ne\n", "a\nb\nX\nd\ne\n", "a\nb\nX\nd\ne\n", true},
		"mine alone":          {"x", base, "x", true},
		"theirs alone":        {base, "x", "x", true},
		"mine is empty":       {"", "a\nb\nc\nd\nE\n", "", false},
		"both at the end":     {base + "mine\n", base + "theirs\n", base + "mine\n", false},
		"no end of line":      {"A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE", "A\nb\nc\nd\nE", true},
	} {
		if got, kept := merge.Lines(base, tt.mine, tt.theirs); got != tt.want || kept != tt.kept {
			t.Errorf("%s: %q, %v; want %q, %v", name, got, kept, tt.want, tt.kept)
		}
	}
}

func TestEveryLineOfMineStays(t *testing.T) {
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n"}), 0, 12), func(lines []string) string { return strings.Join(lines, "") })
	rapid.Check(t, func(t *rapid.T) {
		base, mine, theirs := text.Draw(t, "base"), text.Draw(t, "mine"), text.Draw(t, "theirs")
		if got, kept := merge.Lines(base, mine, base); got != mine || !kept {
			t.Fatalf("theirs unchanged: %q", got)
		}
		if got, kept := merge.Lines(base, base, theirs); got != theirs || !kept {
			t.Fatalf("mine unchanged: %q", got)
		}
		got, kept := merge.Lines(base, mine, theirs)
		if back, _ := merge.Lines(base, theirs, mine); kept && back != got {
			t.Fatalf("the other way round: %q and %q", got, back)
		}
	})
}
