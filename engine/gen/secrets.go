package gen

import "github.com/svc-games/svc/api/mint"

// mask stands for a secret where the rest of a text is shown as it is.
const mask = "[secret]"

// Masked returns a text with a mask in the place of each secret in it: no message, no model
// and no game may have one.
func Masked(text string) string { return mint.MaskSecrets(text, mask) }

// withoutSecrets is Masked for what is read for its words.
func withoutSecrets(text string) string { return mint.MaskSecrets(text, " ") }
