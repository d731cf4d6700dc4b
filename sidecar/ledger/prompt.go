package ledger

import (
	"strings"
	"unicode"

	"github.com/svc-games/svc/api/mint"
)

// maxPrompt is how many characters are kept of what a job was asked for, before an ellipsis,
// and readPrompt how many bytes are looked at for it: a submission waits for that.
const (
	maxPrompt  = 500
	readPrompt = 8000
)

// keptPrompt is what is kept of what a job was asked for, to be read beside the figures of
// its game: the beginning, as one line, without secrets. It is cut last, or a part of a
// secret would be taken for none.
func keptPrompt(prompt string) string {
	prompt = strings.TrimSpace(prompt)
	read := strings.ToValidUTF8(prompt[:min(len(prompt), readPrompt)], "")
	shown := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, mint.MaskSecrets(read, "[secret]"))
	line := strings.Join(strings.Fields(shown), " ")
	if all := []rune(line); len(all) > maxPrompt {
		return strings.TrimSpace(string(all[:maxPrompt])) + "…"
	}
	return line
}
