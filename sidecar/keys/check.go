package keys

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/ledger"
)

const maxName = 120

var userIDPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._@:+-]{0,119}$`)

func checkUserID(id string) error {
	if !userIDPattern.MatchString(id) {
		return refuse(ErrInvalid, "the user id %q is not acceptable: want 1 to 120 letters, digits or ._@:+-, beginning with a letter or digit", id)
	}
	return nil
}

func checkName(name string) error {
	if n := utf8.RuneCountInString(name); n > maxName || strings.TrimSpace(name) == "" {
		return refuse(ErrInvalid, "the name %q is not acceptable: want 1 to %d characters", name, maxName)
	}
	if !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) {
		return refuse(ErrInvalid, "the name %q is not acceptable: control characters are not allowed", name)
	}
	return nil
}

func checkLimits(l policy.Limits) error {
	for _, limit := range []struct {
		name  string
		value *int64
	}{
		{api.LimitJobsPerDay, l.JobsPerDay},
		{api.LimitJobsPerMonth, l.JobsPerMonth},
		{api.LimitMaxConcurrentJobs, l.MaxConcurrentJobs},
	} {
		if limit.value != nil && *limit.value < 0 {
			return refuse(ErrInvalid, "the limit %s can't be %d: want zero or more, or none for unlimited", limit.name, *limit.value)
		}
	}
	if tik := l.TIKPerMonth; tik != nil && (*tik < 0 || *tik > ledger.MaxAmount) {
		return refuse(ErrInvalid, "the limit %s can't be %s: want zero to %s, or none for unlimited", api.LimitTIKPerMonth, *tik, ledger.MaxAmount)
	}
	return nil
}

func checkAmount(amount api.TIK) error {
	if amount < 0 || amount > ledger.MaxAmount {
		return refuse(ErrInvalid, "the amount can't be %s TIK: want zero to %s", amount, ledger.MaxAmount)
	}
	return nil
}
