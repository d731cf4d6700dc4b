package play

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
)

func TestBatchIsRecordedOnceAndAcknowledged(t *testing.T) {
	r := newRig(t)
	for range 2 {
		w := r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(1, "start"), "Content-Type", "text/plain")
		if w.Code != http.StatusOK || w.Body.String() != `{"ack":1,"mode":"full"}`+"\n" || w.Header().Get("Access-Control-Allow-Origin") != "*" {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if c := r.counts(); c.Plays != 1 || c.Events != 1 {
		t.Errorf("counted %+v", c)
	}
}

func TestBatchOfNobodysIsRefused(t *testing.T) {
	r := newRig(t)
	good := r.batchOf(1, "start")
	for name, tc := range map[string]struct {
		body   string
		status int
	}{
		"no batch":         {"{}", http.StatusBadRequest},
		"another's key":    {strings.Replace(good, r.key, mint.NewPlayKey(), 1), http.StatusUnauthorized},
		"a user's key":     {strings.Replace(good, r.key, mint.NewKey(), 1), http.StatusUnauthorized},
		"no key":           {strings.Replace(good, r.key, "", 1), http.StatusUnauthorized},
		"another game":     {strings.Replace(good, game, other, 1), http.StatusUnauthorized},
		"too large a body": {good + strings.Repeat(" ", play.MaxBody), http.StatusRequestEntityTooLarge},
	} {
		w := r.answer(r.Games(), "POST", play.PathBatch, tc.body)
		var said struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &said); w.Code != tc.status || err != nil || said.Error == "" {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, tc.status)
		}
	}
	if w := r.answer(r.Games(), "GET", play.PathBatch, ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d", w.Code)
	}
	if c := r.counts(); c.Events != 0 {
		t.Errorf("counted %+v", c)
	}
}

func TestAKeyIsKnownForSecondsAlone(t *testing.T) {
	r := newRig(t)
	r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(1, "start"))
	r.Catalog = catalog{key: mint.NewPlayKey()} // the publication is over
	r.now = r.now.Add(keyTime)
	if w := r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(2, "end")); w.Code != http.StatusUnauthorized {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestATokenProvesClassAndPlayerAndNothingElseDoes(t *testing.T) {
	r := newRig(t)
	secrets, err := r.Secrets()
	if err != nil {
		t.Fatal(err)
	}
	owner, err := secrets.sign(token{Game: game, Class: analytics.ClassOwner, Player: stream}, r.now)
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := secrets.verify(owner, game, r.now.Add(tokenLife-time.Second)); !ok || got.Class != analytics.ClassOwner || got.Player != stream {
		t.Errorf("got %+v, %v", got, ok)
	}
	body, signature, _ := strings.Cut(owner, ".")
	forged := base64.RawURLEncoding.EncodeToString([]byte(`{"g":"`+game+`","c":"owner","exp":9999999999}`)) + "." + signature
	for name, tc := range map[string]struct {
		text, game string
		after      time.Duration
	}{
		"expired": {owner, game, tokenLife}, "another game's": {owner, other, 0}, "forged": {forged, game, 0},
		"unsigned": {body, game, 0}, "cut": {body + ".", game, 0}, "empty": {"", game, 0}, "of another secret": {resigned(t, game, r.now), game, 0},
	} {
		if got, ok := secrets.verify(tc.text, tc.game, r.now.Add(tc.after)); ok {
			t.Errorf("%s: taken for %+v", name, got)
		}
	}
	r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(1, "start", `"t":"`+owner+`"`))
	if c := r.counts(); c.Plays != 0 {
		t.Errorf("the owner's play is counted: %+v", c)
	}
	r.answer(r.Games(), "POST", play.PathBatch, strings.Replace(r.batchOf(1, "start", `"t":"`+forged+`"`), stream, strings.Repeat("a", 32), 1))
	if c := r.counts(); c.Plays != 1 {
		t.Errorf("a forged token hides a play: %+v", c)
	}
}

func TestABuildIsCountedThatIsPublishedOrThatATokenProves(t *testing.T) {
	r := newRig(t)
	secrets, err := r.Secrets()
	if err != nil {
		t.Fatal(err)
	}
	const former, made = "job_01J0000000000000000000000B", "job_01J0000000000000000000000C"
	page, err := secrets.sign(token{Game: game, Class: analytics.ClassPublic, Build: former}, r.now)
	if err != nil {
		t.Fatal(err)
	}
	for i, tc := range []struct{ build, token string }{{job, ""}, {made, ""}, {made, "x.y"}, {former, page}, {made, page}} {
		body := strings.Replace(r.batchOf(1, "start", `"t":"`+tc.token+`"`), stream, strings.Repeat("abcde"[i:i+1], 32), 1)
		if w := r.answer(r.Games(), "POST", play.PathBatch, strings.Replace(body, job, tc.build, 1)); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	plays := map[string]int64{}
	for _, b := range r.overview().Builds {
		plays[b.JobID] = b.Plays
	}
	if want := map[string]int64{job: 1, former: 2, "": 2}; !maps.Equal(plays, want) {
		t.Errorf("counted %v, want %v", plays, want)
	}
}

func TestATokenProvesWhatWaitedOnTheDeviceSinceItHeld(t *testing.T) {
	r := newRig(t)
	secrets, err := r.Secrets()
	if err != nil {
		t.Fatal(err)
	}
	owner, err := secrets.sign(token{Game: game, Class: analytics.ClassOwner}, r.now)
	if err != nil {
		t.Fatal(err)
	}
	r.now = r.now.Add(48 * time.Hour)
	send := func(stream string, lay time.Duration) {
		body := r.batchOf(1, "start", `"t":"`+owner+`"`, fmt.Sprintf(`"age":%d`, lay.Milliseconds()), `"s":"`+strings.Repeat(stream, 32)+`"`)
		if w := r.answer(r.Games(), "POST", play.PathBatch, body); w.Code != http.StatusOK {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	send("a", 40*time.Hour)
	if o, err := r.log.Overview(t.Context(), game, 7); err != nil || o.Total.Plays != 0 {
		t.Errorf("the owner's play of two days ago is counted: %+v, %v", o.Total, err)
	}
	send("b", 30*time.Hour)
	if o, err := r.log.Overview(t.Context(), game, 7); err != nil || o.Total.Plays != 1 {
		t.Errorf("of a token that had run out there are %+v, %v", o.Total, err)
	}
}

func resigned(t *testing.T, game string, now time.Time) string {
	t.Helper()
	text, err := Secrets{tokens: []string{"another secret, of thirty-two bytes or more"}}.sign(token{Game: game, Class: analytics.ClassOwner}, now)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestLibraryOfFormerGamesIsTakenWithItsPreflight(t *testing.T) {
	r := newRig(t)
	if w := r.answer(r.Games(), "OPTIONS", play.PathFormerBatch, ""); w.Code != http.StatusNoContent ||
		!strings.Contains(w.Header().Get("Access-Control-Allow-Headers"), "Authorization") || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Errorf("the preflight is %d %v", w.Code, w.Header())
	}
	body := `{"gameId":"` + game + `","events":[{"name":"session_start","props":{},"session":"s","at":1000},{"name":"start","props":{},"session":"s","at":2000}]}`
	if w := r.answer(r.Games(), "POST", play.PathFormerBatch, body, "Authorization", "Bearer "+r.key); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := r.answer(r.Games(), "POST", play.PathFormerBatch, body, "Authorization", "Bearer "+mint.NewKey()); w.Code != http.StatusUnauthorized {
		t.Errorf("with a user's key: %d %s", w.Code, w.Body)
	}
	if w := r.answer(r.Games(), "POST", play.PathFormerBoard, "{}"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"top":[]`) {
		t.Errorf("a score: %d %s", w.Code, w.Body)
	}
	if w := r.answer(r.Games(), "GET", play.PathFormerHealth, ""); w.Code != http.StatusOK {
		t.Errorf("health: %d", w.Code)
	}
	if c := r.counts(); c.Sessions != 1 || c.Plays != 1 || c.Events != 2 {
		t.Errorf("counted %+v", c)
	}
}

func TestFormerSessionIsHeldOffBeforeAnyOfItsRequestIsRecorded(t *testing.T) {
	r := newRig(t)
	send := func(sessions ...string) int {
		t.Helper()
		events := make([]string, len(sessions))
		for i, session := range sessions {
			events[i] = `{"name":"start","session":"` + session + `","at":1}`
		}
		body := `{"gameId":"` + game + `","events":[` + strings.Join(events, ",") + `]}`
		return r.answer(r.Games(), "POST", play.PathFormerBatch, body, "Authorization", "Bearer "+r.key).Code
	}
	for range maxPerStream {
		if got := send("a"); got != http.StatusOK {
			t.Fatalf("within bounds: %d", got)
		}
	}
	if got := send("b", "a"); got != http.StatusTooManyRequests {
		t.Errorf("past them: %d", got)
	}
	if c := r.counts(); c.Sessions != 1 || c.Events != maxPerStream {
		t.Errorf("counted %+v", c)
	}
}

func TestFloodIsHeldOffByStreamAndAddress(t *testing.T) {
	r := newRig(t)
	body := r.batchOf(1, "start")
	for n := range maxPerStream + 1 {
		w := r.answer(r.Games(), "POST", play.PathBatch, body)
		if refused := w.Code == http.StatusTooManyRequests; refused != (n == maxPerStream) || refused && w.Header().Get("Retry-After") != "60" {
			t.Fatalf("request %d: %d %v", n, w.Code, w.Header())
		}
	}
	for range maxPerAddress - maxPerStream - 1 {
		r.answer(r.Games(), "POST", play.PathFormerBoard, "{}")
	}
	if w := r.answer(r.Games(), "POST", play.PathFormerBoard, "{}"); w.Code != http.StatusTooManyRequests {
		t.Errorf("the address may send more: %d", w.Code)
	}
	r.now = r.now.Add(time.Minute)
	if w := r.answer(r.Games(), "POST", play.PathBatch, body); w.Code != http.StatusOK {
		t.Errorf("a minute later: %d", w.Code)
	}
	for given, want := range map[string]string{
		"192.0.2.1:1": "192.0.2.1", "[::ffff:192.0.2.1]:1": "192.0.2.1", "[2001:db8:1:2:3::4]:1": "2001:db8:1:2::/64", "@": "@",
	} {
		if got := addressOf(&http.Request{RemoteAddr: given}); got != want {
			t.Errorf("%s counts as %s, want %s", given, got, want)
		}
	}
}

func TestWhatCannotBeRecordedNowIsToComeAgain(t *testing.T) {
	r := newRig(t)
	r.Recorder = func(context.Context) (Recorder, error) { return nil, errors.New("no disk") }
	w := r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(1, "start"))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "disk") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}

func TestOwnerWithoutBalanceIsAnsweredBy402UntilATopUp(t *testing.T) {
	r := newRig(t)
	r.owner.broke.Store(true)
	send := func(seq int, name string, status int, body string) {
		t.Helper()
		w := r.answer(r.Games(), "POST", play.PathBatch, r.batchOf(seq, name))
		if w.Code != status || w.Body.String() != body+"\n" {
			t.Errorf("%s: %d %s, want %d %s", name, w.Code, w.Body, status, body)
		}
	}
	send(1, "session_start", http.StatusOK, `{"ack":1,"mode":"full"}`)
	send(2, "start", http.StatusPaymentRequired, `{"ack":2,"mode":"essential","retry":60}`)
	send(3, "heartbeat", http.StatusPaymentRequired, `{"ack":3,"mode":"essential","retry":60}`)
	former := `{"gameId":"` + game + `","events":[{"name":"a","props":{},"session":"s","at":1}]}`
	if w := r.answer(r.Games(), "POST", play.PathFormerBatch, former, "Authorization", "Bearer "+r.key); w.Code != http.StatusPaymentRequired {
		t.Errorf("the former library: %d %s", w.Code, w.Body)
	}
	r.owner.broke.Store(false)
	r.now = r.now.Add(time.Minute)
	send(4, "heartbeat", http.StatusOK, `{"ack":4,"mode":"full"}`)
	send(5, "start", http.StatusOK, `{"ack":5,"mode":"full"}`)
	if c := r.counts(); c.Events != 4 || c.Sessions != 1 || c.Plays != 1 || c.Lost != 0 {
		t.Errorf("counted %+v", c)
	}
}
