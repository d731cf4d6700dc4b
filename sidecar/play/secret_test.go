package play

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
)

func TestSecretsAreMadeOnceForTheirOwnerOnly(t *testing.T) {
	dir := t.TempDir()
	first, err := ReadSecrets(dir, time.Now)()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := ReadSecrets(dir, time.Now)(); err != nil || again.players != first.players || again.tokens[0] != first.tokens[0] {
		t.Errorf("others the second time (%v)", err)
	}
	if first.players == first.tokens[0] {
		t.Error("names and tokens have one secret")
	}
	for _, name := range []string{TokenFile, PlayersFile} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v", name, info, err)
		}
	}
}

func TestTokensOfTwoSecretsAreBelievedWhileOneIsRotatedAndPlayersKeepTheirNames(t *testing.T) {
	dir, now := t.TempDir(), time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	read := ReadSecrets(dir, func() time.Time { return now })
	before, err := read()
	if err != nil {
		t.Fatal(err)
	}
	old, err := before.sign(token{Game: game, Class: analytics.ClassOwner}, now)
	if err != nil {
		t.Fatal(err)
	}
	next := strings.Repeat("n", minSecret)
	rotate := func(lines ...string) Secrets {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, TokenFile), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		now = now.Add(secretsTime)
		s, err := read()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	both := rotate(next, before.tokens[0])
	young, err := both.sign(token{Game: game, Class: analytics.ClassOwner}, now)
	if err != nil {
		t.Fatal(err)
	}
	after := rotate(next)
	for name, tc := range map[string]struct {
		secrets Secrets
		token   string
		want    bool
	}{
		"old, both": {both, old, true}, "young, both": {both, young, true}, "young, before": {before, young, false},
		"old, after": {after, old, false}, "young, after": {after, young, true},
	} {
		if _, ok := tc.secrets.verify(tc.token, game, now); ok != tc.want {
			t.Errorf("%s: believed %t", name, ok)
		}
	}
	if before.pseudonym(game, "p") != after.pseudonym(game, "p") {
		t.Error("players have other names")
	}
	for _, lines := range [][]string{nil, {"short"}, {next, next, next}} {
		if err := os.WriteFile(filepath.Join(dir, TokenFile), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		now = now.Add(secretsTime)
		if _, err := read(); err == nil || strings.Contains(err.Error(), next) {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

func TestWhatTheOwnerPlaysIsFreeAndNotCounted(t *testing.T) {
	r := newRig(t)
	r.owner.broke.Store(true) // who would pay
	for user, want := range map[string]int64{"alice": 0, "bob": 1} {
		id := r.identity(r.answer(r.Pages(), "GET", "/play/"+game, "", "Test-User", user))
		secrets, err := r.Secrets()
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := secrets.verify(id.Token, game, r.now); !ok || (got.Class == analytics.ClassOwner) != (user == "alice") {
			t.Errorf("%s has a token of %+v", user, got)
		}
		body := strings.Replace(r.batchOf(1, "session_start", `"t":"`+id.Token+`"`), stream, strings.Repeat("0", 31)+string(rune('a'+want)), 1)
		if w := r.answer(r.Games(), "POST", play.PathBatch, body); w.Code != 200 {
			t.Errorf("%s: %d %s", user, w.Code, w.Body)
		}
		body = strings.Replace(strings.Replace(body, "[[1,", "[[2,", 1), "session_start", "start", 1)
		w := r.answer(r.Games(), "POST", play.PathBatch, body)
		if paid := w.Code != 402; paid != (user == "alice") {
			t.Errorf("%s: %d %s", user, w.Code, w.Body)
		}
	}
	if c := r.counts(); c.Sessions != 1 || c.Plays != 0 {
		t.Errorf("the public has %+v", c)
	}
}
