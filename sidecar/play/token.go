package play

import (
	"crypto/hmac"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
)

// tokenLife is as long as a stream. What waited on the device for longer is judged by
// when it was to be sent first.
const tokenLife = play.MaxStream * time.Millisecond

// token is what the service has proven of a play. Who holds it can't change it.
type token struct {
	Game    string          `json:"g"`
	Class   analytics.Class `json:"c"`
	Player  string          `json:"p,omitempty"`
	Build   string          `json:"b,omitempty"` // the job whose game the page shows
	Name    string          `json:"jti"`
	Expires int64           `json:"exp"` // seconds since 1970
}

// sign returns a token as text, with a name of its own and its end.
func (s Secrets) sign(t token, now time.Time) (string, error) {
	var name [16]byte
	if _, err := rand.Read(name[:]); err != nil {
		return "", err
	}
	t.Name, t.Expires = hex.EncodeToString(name[:]), now.Add(tokenLife).Unix()
	text, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	body := base64.RawURLEncoding.EncodeToString(text)
	return body + "." + base64.RawURLEncoding.EncodeToString(mac(s.tokens[0], "token", body)), nil
}

// verify returns what a token of a game proves, or false.
func (s Secrets) verify(text, game string, now time.Time) (t token, ok bool) {
	body, signature, found := strings.Cut(text, ".")
	given, err := base64.RawURLEncoding.DecodeString(signature)
	if !found || err != nil || !slices.ContainsFunc(s.tokens, func(secret string) bool { return hmac.Equal(given, mac(secret, "token", body)) }) {
		return token{}, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil || json.Unmarshal(raw, &t) != nil || t.Game != game || now.Unix() >= t.Expires {
		return token{}, false
	}
	return t, true
}

// pseudonym names a player to one game: those of two games can't be matched.
func (s Secrets) pseudonym(game, player string) string {
	return hex.EncodeToString(mac(s.players, "player "+game, player)[:16])
}

// maxStreams is how many streams an owner's token frees: a page that stays open begins
// one each half hour that it is away.
const maxStreams = 20

// maxUses bounds the tokens that are remembered: past it all are forgotten, and free
// some streams more.
const maxUses = 10_000

// Uses counts the streams that each owner's token was used for, so that one which got
// to players does not free all that they play. It is safe for concurrent use.
type Uses struct {
	mu      sync.Mutex // guards streams
	streams map[string]map[string]bool
}

// take reports whether a token of this name frees a stream.
func (u *Uses) take(name, stream string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	used := u.streams[name]
	if used == nil {
		if u.streams == nil || len(u.streams) >= maxUses {
			u.streams = make(map[string]map[string]bool)
		}
		used = make(map[string]bool)
		u.streams[name] = used
	}
	if !used[stream] && len(used) >= maxStreams {
		return false
	}
	used[stream] = true
	return true
}
