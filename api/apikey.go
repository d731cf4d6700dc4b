package api

import (
	"crypto/rand"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

const (
	keyPrefix   = "sk-"
	keyRandom   = 43 // base62 characters, 256 bits
	keyChecksum = 6  // base62 characters of CRC-32
	base62      = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// KeyLength is the length of an API key's secret in bytes.
const KeyLength = len(keyPrefix) + keyRandom + keyChecksum

// KeyHash is the SHA-256 of an API key's secret: all that is ever stored.
type KeyHash [sha256.Size]byte

// NewKey returns a new secret: "sk-", 256 random bits in base62 and their
// CRC-32 in base62, so that junk is recognised without a look-up and a leaked
// key by a scanner.
func NewKey() string {
	var b strings.Builder
	b.WriteString(keyPrefix)
	limit := big.NewInt(int64(len(base62)))
	for range keyRandom {
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
	if len(secret) != KeyLength || secret[:len(keyPrefix)] != keyPrefix {
		return KeyHash{}, false
	}
	for i := len(keyPrefix); i < len(secret); i++ {
		if !isBase62(secret[i]) {
			return KeyHash{}, false
		}
	}
	text := []byte(secret)
	body := len(keyPrefix) + keyRandom
	if sum := checksum(text[:body]); string(sum[:]) != secret[body:] {
		return KeyHash{}, false
	}
	return sha256.Sum256(text), true
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
