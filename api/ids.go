package api

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

// NewProjectID returns 24 random lower-case hexadecimal characters.
func NewProjectID() string {
	var b [12]byte
	mustRead(b[:])
	return hex.EncodeToString(b[:])
}

// ValidProjectID reports whether s has the form of a project id.
func ValidProjectID(s string) bool {
	const length = 24
	return len(s) == length && hexadecimal.holds(s)
}

// CheckProjectID returns the 400 of a missing or malformed projectId.
func CheckProjectID(id string) error {
	if id == "" {
		return BadRequest("projectId is required.")
	}
	if !ValidProjectID(id) {
		return BadRequest("projectId must be 24 lower-case hexadecimal characters.")
	}
	return nil
}

// NewJobID returns "job_" and a ULID made at now. The id is the reservation
// id in the ledger and the engine's idempotency key as well.
func NewJobID(now time.Time) string { return "job_" + newULID(now) }

// ValidJobID reports whether s has the form of a job id.
func ValidJobID(s string) bool {
	id, ok := strings.CutPrefix(s, "job_")
	// A ULID has 128 bits in 26 characters of 5: the first is at most 7.
	return ok && len(id) == ulid.EncodedSize && id[0] <= '7' && crockford.holds(id)
}

// JobTime returns when the gateway minted a well-formed job id.
func JobTime(jobID string) (time.Time, error) {
	id, err := ulid.ParseStrict(strings.TrimPrefix(jobID, "job_"))
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the time of a job id: %w", err)
	}
	return id.Timestamp(), nil
}

type requestIDKey struct{}

// WithRequestID returns a context of what is done for a client's request.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestID returns what the client knows its request by, "" where there is none.
func RequestID(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}

// alphabet says of each byte whether ids of a kind have it. It is on the path of
// every request, where a regular expression would show, and a search for each
// character too.
type alphabet [256]bool

// The alphabets of project ids and of ULIDs.
var (
	hexadecimal = alphabetOf("0123456789abcdef")
	crockford   = alphabetOf(ulid.Encoding)
)

func alphabetOf(characters string) *alphabet {
	var a alphabet
	for i := range len(characters) {
		a[characters[i]] = true
	}
	return &a
}

// holds reports whether all of s is in the alphabet.
func (a *alphabet) holds(s string) bool {
	for i := range len(s) {
		if !a[s[i]] {
			return false
		}
	}
	return true
}

// NewSessionID returns "ses_" and a ULID made at now. A project has one
// session: the conversation its jobs belong to.
func NewSessionID(now time.Time) string { return "ses_" + newULID(now) }

// NewKeyID returns "key_" and a ULID made at now. It names an API key in
// records and logs; it is not a secret.
func NewKeyID(now time.Time) string { return "key_" + newULID(now) }

// NewInstanceID returns the ULID that names one start of one engine.
func NewInstanceID(now time.Time) string { return newULID(now) }

func newULID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()
}

// mustRead fills b with random bytes. crypto/rand.Read never returns an error
// since Go 1.24: it ends the program instead.
func mustRead(b []byte) { _, _ = rand.Read(b) }
