// Package mint makes the ids, keys and tokens that the service gives out, and tells its own
// from junk. What is stored of a secret is its hash; what is shown, its masked form.
package mint

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"
)

const (
	keyPrefix   = "sk-"
	keyRandom   = 43 // base62 characters, 256 bits
	tokenPrefix = "stk-"
	playPrefix  = "pk-"
	playRandom  = 22 // base62 characters, 128 bits
	keyChecksum = 6  // base62 characters of CRC-32
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// KeyLength is the length of an API key's secret in bytes.
const KeyLength = len(keyPrefix) + keyRandom + keyChecksum

// KeyHash is the SHA-256 of the secret of an API key, or a stream token: all that is
// ever stored.
type KeyHash [sha256.Size]byte

// NewKey returns a new secret: "sk-", 256 random bits in base62 and their
// CRC-32 in base62, so that junk is recognised without a look-up and a leaked
// key by a scanner.
func NewKey() string { return newKey(keyPrefix, keyRandom) }

// NewPlayKey returns a new key of a published game: "pk-", 128 random bits and
// their CRC-32. It is public: it stands in pages, and is good for nothing but to
// report what is played.
func NewPlayKey() string { return newKey(playPrefix, playRandom) }

// NewStreamToken returns a new stream token: "stk-", and what an API key has. With
// one a browser reads the events of one job.
func NewStreamToken() string { return newKey(tokenPrefix, keyRandom) }

// ParseStreamToken returns the hash of a stream token, or false for what is none.
func ParseStreamToken(token string) (KeyHash, bool) {
	if !wellFormed(token, tokenPrefix, keyRandom) {
		return KeyHash{}, false
	}
	return sha256.Sum256([]byte(token)), true
}

func newKey(prefix string, random int) string {
	var b strings.Builder
	b.WriteString(prefix)
	limit := big.NewInt(int64(len(base62)))
	for range random {
		n, err := rand.Int(rand.Reader, limit)
		if err != nil {
			panic(err) // crypto/rand does not fail
		}
		b.WriteByte(base62[n.Int64()])
	}
	sum := checksum([]byte(b.String()))
	return b.String() + string(sum[:])
}

// ParseKey returns the hash of secret, or false when secret can't be a key of
// ours: wrong length, prefix, alphabet or checksum.
func ParseKey(secret string) (KeyHash, bool) {
	if !wellFormed(secret, keyPrefix, keyRandom) {
		return KeyHash{}, false
	}
	return sha256.Sum256([]byte(secret)), true
}

// ValidPlayKey reports whether key can be the key of a game.
func ValidPlayKey(key string) bool { return wellFormed(key, playPrefix, playRandom) }

// wellFormed reports whether a key has its length, prefix, alphabet and checksum.
func wellFormed(key, prefix string, random int) bool {
	body := len(prefix) + random
	if len(key) != body+keyChecksum || key[:len(prefix)] != prefix {
		return false
	}
	for i := len(prefix); i < len(key); i++ {
		if !isBase62(key[i]) {
			return false
		}
	}
	sum := checksum([]byte(key[:body]))
	return string(sum[:]) == key[body:]
}

// MaskKey returns the form of a secret that may be shown after its creation:
// "sk-", two characters, "****" and the last four.
func MaskKey(secret string) string {
	if len(secret) != KeyLength {
		return keyPrefix + "****"
	}
	return secret[:len(keyPrefix)+2] + "****" + secret[len(secret)-4:]
}

func checksum(body []byte) [keyChecksum]byte {
	sum := crc32.ChecksumIEEE(body)
	var out [keyChecksum]byte
	for i := keyChecksum - 1; i >= 0; i-- {
		out[i] = base62[sum%uint32(len(base62))]
		sum /= uint32(len(base62))
	}
	return out
}

func isBase62(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// secretPrefixes are those of API keys and of stream tokens.
var secretPrefixes = []string{"sk-", "stk-"}

// minKeyLike is how many characters after a prefix make a secret, or what someone
// took for one. A key has 49; one that was cut off is masked too. What stands
// before does not matter: it may be an escaped "=", as in "key%3Dsk-".
const minKeyLike = 16

// MaskKeys overwrites everything in text that looks like a key, percent-encoded or
// not: a log has addresses and other texts as clients wrote them.
func MaskKeys(text []byte) {
	for {
		begin := bytes.IndexAny(text, "s%")
		if begin < 0 {
			return
		}
		text = text[begin:]
		at := 0
		for _, want := range secretPrefixes {
			at = max(at, prefix(text, want))
		}
		if at == 0 {
			text = text[1:]
			continue
		}
		end, n := at, 0
		for {
			c, width := character(text[end:])
			if width == 0 || !isAlphanumeric(c) {
				break
			}
			end += width
			n++
		}
		if n < minKeyLike {
			text = text[1:] // a key may begin in what was looked at
			continue
		}
		for i := at; i < end; i++ {
			text[i] = '*'
		}
		text = text[end:]
	}
}

// prefix returns how many bytes of text stand for want, 0 when it begins otherwise.
func prefix(text []byte, want string) (length int) {
	for i := range len(want) {
		c, width := character(text[length:])
		if width == 0 || c != want[i] {
			return 0
		}
		length += width
	}
	return length
}

// character returns the character that text begins with, also when it is
// percent-encoded, once or more often, and how many bytes it takes.
func character(text []byte) (c byte, width int) {
	if len(text) == 0 {
		return 0, 0
	}
	c, width = text[0], 1
	for c == '%' && width+2 <= len(text) {
		decoded, err := strconv.ParseUint(string(text[width:width+2]), 16, 8)
		if err != nil {
			break
		}
		c, width = byte(decoded), width+2
	}
	return c, width
}

func isAlphanumeric(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// NewProjectID returns 24 random lower-case hexadecimal characters.
func NewProjectID() string {
	var b [12]byte
	mustRead(b[:])
	return hex.EncodeToString(b[:])
}

// NewJobID returns "job_" and a ULID made at now. The id is the reservation
// id in the ledger and the engine's idempotency key as well.
func NewJobID(now time.Time) string { return "job_" + newULID(now) }

// JobTime returns when the id of a job was made.
func JobTime(jobID string) (time.Time, error) {
	id, err := ulid.ParseStrict(strings.TrimPrefix(jobID, "job_"))
	if err != nil {
		return time.Time{}, fmt.Errorf("reading the time of a job id: %w", err)
	}
	return id.Timestamp(), nil
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
