package mint

import (
	"regexp"
	"strings"
)

// secretPattern is what is certainly a secret, by the form that its issuer gives it.
// Long words are none.
var secretPattern = regexp.MustCompile(strings.Join([]string{
	`\bsk-[A-Za-z0-9_-]{8,}`,                        // svc, and providers of models
	`\bgh[pousr]_[A-Za-z0-9]{20,}`,                  // GitHub
	`\bgithub_pat_[A-Za-z0-9_]{20,}`,                //
	`\bglpat-[A-Za-z0-9_-]{16,}`,                    // GitLab
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,                 // Amazon
	`\bAIza[0-9A-Za-z_-]{30,}`,                      // Google
	`\bxox[abeprs]-[A-Za-z0-9-]{10,}`,               // Slack
	`\b(?:npm|hf)_[A-Za-z0-9]{30,}`,                 // npm, Hugging Face
	`\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}`,        // Stripe
	`\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_.-]{8,}`, // JSON Web Token
	`(?i:\bbearer )\s*[A-Za-z0-9._~+/-]{20,}=*`,     // of a header
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`,
}, "|"))

// MaskSecrets returns a text of a person with a mask in the place of each secret in it.
func MaskSecrets(text, mask string) string { return secretPattern.ReplaceAllString(text, mask) }
