package agent

import (
	"fmt"
	"strings"

	"github.com/svc-games/svc/engine/gen/author"
)

// replaced returns text with old replaced by new, in the one place where it stands.
func replaced(text, old, new string) (string, error) {
	if old == "" {
		return "", fmt.Errorf("old is empty; it must be the text to replace")
	}
	if old == new {
		return "", fmt.Errorf("old and new are the same")
	}
	switch n := strings.Count(text, old); {
	case n == 0:
		return "", fmt.Errorf("old does not stand in the file. The nearest there is:\n%s", nearest(text, old))
	case n > 1:
		return "", fmt.Errorf("old stands in the file %d times. Give more of the lines around it", n)
	}
	return strings.Replace(text, old, new, 1), nil
}

// nearest returns the lines of text that are most like what was looked for.
func nearest(text, old string) string {
	const around = 3
	lines, wanted := strings.Split(text, "\n"), words(old)
	best, at := 0, 0
	span := min(strings.Count(old, "\n")+1, 10)
	for i := range lines {
		score := 0
		for word := range words(strings.Join(lines[i:min(i+span, len(lines))], "\n")) {
			if wanted[word] {
				score++
			}
		}
		if score > best {
			best, at = score, i
		}
	}
	for i, line := range lines {
		lines[i] = author.Clip(line, maxNear)
	}
	return numbered(lines, max(0, at-around), min(len(lines), at+span+around))
}

// maxNear bounds, in bytes, what of a line is shown.
const maxNear = 400

// words are those of a piece of code.
func words(code string) map[string]bool {
	out := map[string]bool{}
	for _, word := range strings.FieldsFunc(code, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		out[word] = true
	}
	return out
}

// numbered are lines from one to before another, with their numbers.
func numbered(lines []string, from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "%d\t%s\n", i+1, lines[i])
	}
	return b.String()
}
