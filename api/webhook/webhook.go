// Package webhook signs and verifies what the service posts to its clients, by the
// Standard Webhooks scheme with its symmetric signatures.
package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Headers of a post.
const (
	HeaderID        = "Webhook-Id"        // names the event, the same at each attempt
	HeaderTimestamp = "Webhook-Timestamp" // of the attempt, in Unix seconds
	HeaderSignature = "Webhook-Signature" // one or more, with spaces between them
)

const (
	secretPrefix    = "whsec_"
	secretBytes     = 32
	signaturePrefix = "v1,"
	// Tolerance is how far the time of a post may be from the receiver's.
	Tolerance = 5 * time.Minute
)

// Errors of Verify.
var (
	ErrSecret    = errors.New(`malformed secret: want "whsec_" and base64`)
	ErrHeaders   = errors.New("the headers webhook-id, webhook-timestamp and webhook-signature are missing or malformed")
	ErrTime      = errors.New("the post is too old, or from the future")
	ErrSignature = errors.New("none of the post's signatures is valid")
)

// NewSecret returns a random secret: "whsec_" and 44 characters.
func NewSecret() string {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails: the program ends instead
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// Sign returns the headers of a post at a time, with one signature for each secret.
func Sign(id string, at time.Time, body []byte, secrets ...string) (http.Header, error) {
	stamp := strconv.FormatInt(at.Unix(), 10)
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		sum, err := mac(secret, id, stamp, body)
		if err != nil {
			return nil, err
		}
		signatures[i] = signaturePrefix + base64.StdEncoding.EncodeToString(sum)
	}
	return http.Header{HeaderID: {id}, HeaderTimestamp: {stamp}, HeaderSignature: {strings.Join(signatures, " ")}}, nil
}

// Verify returns nil when a post that came at a time is signed with the secret. body must
// be the bytes that came, not what was read of them.
func Verify(h http.Header, body []byte, secret string, now time.Time) error {
	id, stamp := h.Get(HeaderID), h.Get(HeaderTimestamp)
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil || id == "" || h.Get(HeaderSignature) == "" {
		return ErrHeaders
	}
	want, err := mac(secret, id, stamp, body)
	if err != nil {
		return err
	}
	if off := now.Sub(time.Unix(seconds, 0)); off > Tolerance || off < -Tolerance {
		return ErrTime
	}
	for signature := range strings.FieldsSeq(h.Get(HeaderSignature)) {
		text, ours := strings.CutPrefix(signature, signaturePrefix)
		sum, err := base64.StdEncoding.DecodeString(text)
		if ours && err == nil && hmac.Equal(sum, want) {
			return nil
		}
	}
	return ErrSignature
}

func mac(secret, id, stamp string, body []byte) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.DecodeString(text)
	if !ok || err != nil || len(key) == 0 {
		return nil, ErrSecret
	}
	sum := hmac.New(sha256.New, key)
	fmt.Fprintf(sum, "%s.%s.%s", id, stamp, body)
	return sum.Sum(nil), nil
}
