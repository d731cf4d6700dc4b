package keys

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/store"
)

// Bounds of a key's scopes and labels. The schema bounds each of both together.
const (
	maxScopes = 8
	maxLabels = 16
	maxLabel  = 120 // characters of a value
)

var (
	scopePattern = regexp.MustCompile(`^[a-z][a-z0-9._:-]{0,31}$`)
	namePattern  = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]{0,63}$`)
)

func checkScopes(scopes []string) error {
	if len(scopes) > maxScopes {
		return refuse(ErrInvalid, "a key can't have %d scopes: want at most %d", len(scopes), maxScopes)
	}
	for i, scope := range scopes {
		if !scopePattern.MatchString(scope) {
			return refuse(ErrInvalid, "the scope %q is not acceptable: want 1 to 32 small letters, digits or ._:-, beginning with a letter", scope)
		}
		if slices.Contains(scopes[:i], scope) {
			return refuse(ErrInvalid, "the scope %s is given twice", scope)
		}
	}
	return nil
}

func checkLabels(labels map[string]string) error {
	if len(labels) > maxLabels {
		return refuse(ErrInvalid, "a key can't have %d labels: want at most %d", len(labels), maxLabels)
	}
	for name, value := range labels {
		if err := checkText("label", name, value, maxLabel); err != nil {
			return err
		}
	}
	return nil
}

// checkText looks at a name and its value, of at most so many characters.
func checkText(kind, name, value string, most int) error {
	switch {
	case !namePattern.MatchString(name):
		return refuse(ErrInvalid, "the %s %q is not acceptable: want 1 to 64 letters, digits or _.-, beginning with a letter", kind, name)
	case utf8.RuneCountInString(value) > most:
		return refuse(ErrInvalid, "the %s %s has more than %d characters", kind, name, most)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, unicode.IsControl):
		return refuse(ErrInvalid, "the %s %s has control characters or is not UTF-8", kind, name)
	}
	return nil
}

// usualFacts reports whether a key needs no row of facts.
func usualFacts(key Key) bool {
	return slices.Equal(key.Scopes, []string{policy.ScopeFull}) && len(key.Labels) == 0
}

func writeFacts(tx *store.Tx, key Key) error {
	if usualFacts(key) {
		return nil
	}
	scopes, err := json.Marshal(key.Scopes)
	if err != nil {
		return err
	}
	labels := []byte("{}")
	if len(key.Labels) > 0 {
		if labels, err = json.Marshal(key.Labels); err != nil {
			return err
		}
	}
	_, err = tx.Exec("INSERT INTO key_facts (key_id, scopes, labels) VALUES (?, ?, ?)", key.ID, string(scopes), string(labels))
	return err
}

// createdDetail is what the audit log says of a new key.
func createdDetail(key Key) map[string]any {
	detail := map[string]any{"userId": key.UserID, "name": key.Name, "masked": key.Masked, "limits": key.Limits}
	if !usualFacts(key) {
		detail["scopes"] = strings.Join(key.Scopes, " ")
	}
	if len(key.Labels) > 0 {
		detail["labels"] = key.Labels
	}
	return detail
}
