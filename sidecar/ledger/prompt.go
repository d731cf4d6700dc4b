package ledger

import (
	"strings"
	"unicode"

	"github.com/svc-games/svc/api/mint"
)

// maxPrompt is how many characters are kept of what a job was asked for, before an ellipsis.
const maxPrompt = 500

// keptPrompt is what is kept of what a job was asked for, to be read beside the figures of
// its game: the beginning, as one line, without secrets. It is cut last, or a part of a
// secret would be taken for none.
func keptPrompt(prompt string) string {
	shown := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, mint.MaskSecrets(prompt, "[secret]"))
	line := strings.Join(strings.Fields(shown), " ")
	if all := []rune(line); len(all) > maxPrompt {
		return strings.TrimSpace(string(all[:maxPrompt])) + "…"
	}
	return line
}
