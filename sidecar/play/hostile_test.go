package play

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/mint"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar"
)

// TestWhatIsForgedReplayedLateOrHugeIsRefusedOrCountedApart sends what no library sends,
// each in a stream of its own.
func TestWhatIsForgedReplayedLateOrHugeIsRefusedOrCountedApart(t *testing.T) {
	r := newRig(t)
	const (
		rows   = `"e":[[1,1000,"start",{}]]`
		ms     = 1000
		threeY = 3 * 365 * 24 * 3600 * ms
	)
	n := 0
	for name, tc := range map[string]struct {
		with   string // in place of rows
		status int
		cause  play.Cause // that is counted, "" for an event that is kept, or refused with its batch
	}{
		"honest":                     {rows, http.StatusOK, ""},
		"a forged token":             {`"t":"eyJnIjoiMCJ9.AAAA",` + rows, http.StatusOK, ""}, // the public's
		"NaN":                        {`"e":[[1,1000,"end",{"score":NaN}]]`, http.StatusBadRequest, ""},
		"infinite":                   {`"e":[[1,1000,"end",{"score":1e999}]]`, http.StatusOK, play.CauseProps},
		"markup in a name":           {`"e":[[1,1000,"<script>",{}]]`, http.StatusOK, play.CauseName},
		"a member of an array":       {`"e":[[1,1000,"end",{"score":[1]}]]`, http.StatusOK, play.CauseProps},
		"huge":                       {`"e":[[1,1000,"end",{"text":"` + strings.Repeat("x", 2000) + `"}]]`, http.StatusOK, play.CauseSize},
		"a clock years ahead":        {fmt.Sprintf(`"e":[[1,%d,"start",{}]]`, threeY), http.StatusOK, play.CauseOver},
		"late":                       {`"age":300000000,` + rows, http.StatusOK, play.CauseLate},
		"a number beyond 64 bits":    {`"e":[[99999999999999999999,1000,"start",{}]]`, http.StatusBadRequest, ""},
		"a negative clock":           {`"o":-1,` + rows, http.StatusBadRequest, ""},
		"a machine":                  {`"m":true,` + rows, http.StatusOK, play.CauseMachine},
		"another game":               {`"g":"` + other + `",` + rows, http.StatusUnauthorized, ""},
		"a user's key":               {`"k":"` + mint.NewKey() + `",` + rows, http.StatusUnauthorized, ""},
		"another game's key":         {`"k":"` + mint.NewPlayKey() + `",` + rows, http.StatusUnauthorized, ""},
		"an event out of its order":  {`"e":[[2,1000,"start",{}],[1,1000,"start",{}]]`, http.StatusBadRequest, ""},
		"a body that is cut off":     {`"e":[[1,1000,"start",{}`, http.StatusBadRequest, ""},
		"a body of another encoding": {"\"b\":\"\xff\xfe\"," + rows, http.StatusBadRequest, ""},
	} {
		n++
		before := r.overview()
		body := fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"s":"%032x","o":1000,%s}`, r.key, game, n, tc.with)
		w := r.answer(r.Games(), "POST", play.PathBatch, body)
		after := r.overview()
		if w.Code != tc.status {
			t.Errorf("%s: %d %s, want %d", name, w.Code, w.Body, tc.status)
		}
		kept, want := after.Total.Events-before.Total.Events, int64(0)
		if tc.status == http.StatusOK && tc.cause == "" {
			want = 1
		}
		if kept != want {
			t.Errorf("%s: %d events are kept, want %d", name, kept, want)
		}
		if cause := string(tc.cause); cause != "" && after.Dropped[cause] != before.Dropped[cause]+1 {
			t.Errorf("%s: dropped %v, want one more for %q", name, after.Dropped, cause)
		}
		if tc.cause == "" && tc.status == http.StatusOK { // again
			r.answer(r.Games(), "POST", play.PathBatch, body)
			if again := r.overview(); again.Total.Events != after.Total.Events {
				t.Errorf("%s: counted again", name)
			}
		}
	}
}

func (r *rig) overview() api.Overview {
	r.t.Helper()
	o, err := r.log.Overview(r.t.Context(), game, 1)
	if err != nil {
		r.t.Fatal(err)
	}
	return o
}

// TestFloodWithACopiedKeyIsBoundedByAddressStreamAndGame sends more than each may.
func TestFloodWithACopiedKeyIsBoundedByAddressStreamAndGame(t *testing.T) {
	r := newRig(t)
	send := func(address string, stream int) int {
		req := r.request("POST", play.PathBatch, fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"s":"%032x","o":1,"e":[[1,1,"start",{}]]}`, r.key, game, stream))
		req.RemoteAddr = address + ":1"
		return r.do(r.Games(), req).Code
	}
	for range maxPerStream {
		if got := send("192.0.2.1", 1); got != http.StatusOK {
			t.Fatalf("within bounds: %d", got)
		}
	}
	if got := send("192.0.2.2", 1); got != http.StatusTooManyRequests {
		t.Errorf("one stream from another address: %d", got)
	}
	r.takeAll(ofAddress, "192.0.2.3", maxPerAddress)
	if got := send("192.0.2.3", 2); got != http.StatusTooManyRequests {
		t.Errorf("one address: %d", got)
	}
	r.takeAll(ofGame, game, maxPerGame)
	if got := send("192.0.2.4", 3); got != http.StatusTooManyRequests {
		t.Errorf("200 addresses and their streams: %d", got)
	}
	end := r.request("POST", play.PathScore, r.runOf(1, "1"))
	if end.RemoteAddr = "192.0.2.5:1"; r.do(r.Games(), end).Code != http.StatusTooManyRequests {
		t.Error("200 addresses end runs")
	}
	if got := r.answer(r.Games(), "GET", play.PathHealth, "").Code; got != http.StatusOK {
		t.Errorf("others: %d", got)
	}
}

// TestFloodFreesNobodyElse: streams cost nothing, and of addresses some have as many as they
// like.
func TestFloodFreesNobodyElse(t *testing.T) {
	r := newRig(t)
	const had, fresh = "192.0.2.1", "192.0.2.2"
	r.takeAll(ofAddress, had, maxPerAddress)
	r.takeAll(ofGame, game, maxPerGame)
	if r.Rates.takeStream(game, stream) == 0 || len(r.Rates.counts[ofStream]) != 0 {
		t.Error("what is too much for a game counts as a stream's")
	}
	for n := range maxRated + 10*shares {
		r.Rates.takeStream(fmt.Sprintf("%024x", 1+n/maxPerGame), fmt.Sprintf("%032x", n))
		r.Rates.take(ofAddress, fmt.Sprintf("2001:db8:%x:%x::/64", n>>16, n&0xffff), maxPerAddress)
	}
	if r.Rates.take(ofAddress, had, maxPerAddress) == 0 || r.Rates.take(ofGame, game, maxPerGame) == 0 {
		t.Error("an address, or a game, that had all of its requests gets more")
	}
	if wait := r.Rates.take(ofAddress, fresh, maxPerAddress); wait > 0 {
		t.Errorf("another address waits for %v", wait)
	}
	if wait := r.Rates.takeStream(other, stream); wait > 0 {
		t.Errorf("another stream waits for %v", wait)
	}
	for of, counts := range r.Rates.counts {
		if len(counts) > maxRated+shares {
			t.Errorf("of kind %d %d are counted", of, len(counts))
		}
	}
	for n := range 2 * maxPerAddress * shares { // so that each share is used up
		r.Rates.take(ofAddress, fmt.Sprint("more ", n), maxPerAddress)
	}
	if r.Rates.take(ofAddress, fresh, maxPerAddress) == 0 {
		t.Error("who comes past the bound has none")
	}
}

// TestPagesAndFilesAreBoundedByAddress asks for more than an address gets.
func TestPagesAndFilesAreBoundedByAddress(t *testing.T) {
	r := newRig(t)
	page, file := "/play/"+game, "/f/"+game+"/"+job+"/index.html"
	ask := func(h http.Handler, path, address string) int {
		req := r.request("GET", path, "")
		req.RemoteAddr = address + ":1"
		return r.do(h, req).Code
	}
	r.takeAll(ofShown, "192.0.2.1", maxShown-2)
	for range 2 {
		if got := ask(r.Games(), file, "192.0.2.1"); got == http.StatusTooManyRequests {
			t.Error("refused within bounds")
		}
	}
	if a, b := ask(r.Games(), file, "192.0.2.1"), ask(r.Pages(), page, "192.0.2.1"); a != http.StatusTooManyRequests || b != a {
		t.Errorf("past them: %d and %d", a, b)
	}
	if got := ask(r.Pages(), page, "192.0.2.2"); got != http.StatusOK {
		t.Errorf("another address: %d", got)
	}
}

// TestClientThatWentAwayIsNoError has the browser leave before it is answered.
func TestClientThatWentAwayIsNoError(t *testing.T) {
	r := newRig(t)
	r.Catalog = leaving{r.Catalog}
	for _, req := range []*http.Request{
		r.request("GET", "/play/"+game, ""), r.request("POST", play.PathBatch, r.batchOf(1, "start")), r.request("GET", "/f/"+game+"/"+job+"/index.html", ""),
	} {
		ctx, leave := context.WithCancel(req.Context())
		leave()
		h := r.Games()
		if strings.HasPrefix(req.URL.Path, "/play/") {
			h = r.Pages()
		}
		r.do(h, req.WithContext(ctx))
	}
	if logged := r.logged.String(); logged != "" {
		t.Errorf("logged %s", logged)
	}
}

// TestWhatIsNotRecordedOfAClientThatWentAwayIsLogged has the disk fail after it left.
func TestWhatIsNotRecordedOfAClientThatWentAwayIsLogged(t *testing.T) {
	r := newRig(t)
	req := r.request("POST", play.PathBatch, r.batchOf(1, "start"))
	ctx, leave := context.WithCancel(req.Context())
	r.Recorder = func(context.Context) (Recorder, error) {
		leave()
		return nil, errors.New("no disk")
	}
	r.do(r.Games(), req.WithContext(ctx))
	if logged := r.logged.String(); !strings.Contains(logged, "events not recorded") {
		t.Errorf("logged %q", logged)
	}
}

// leaving is a catalog that answers nobody who left, as a store does.
type leaving struct{ Catalog }

func (l leaving) Publication(ctx context.Context, _ string) (api.Publication, error) {
	return api.Publication{}, ctx.Err()
}

func (l leaving) KeyGrant(ctx context.Context, _, _ string) (sidecar.PlayGrant, error) {
	return sidecar.PlayGrant{}, ctx.Err()
}

// takeAll uses up what somebody may have in this minute.
func (r *rig) takeAll(of kind, who string, most int) {
	for r.Rates.take(of, who, most) == 0 {
	}
}

// TestNoAddressAndNoAgentIsKept looks for what requests came with in all files of the
// service.
func TestNoAddressAndNoAgentIsKept(t *testing.T) {
	r := newRig(t)
	const address, agent = "198.51.100.23", "Mozilla/5.0 (Unmistakable; rv:77.7)"
	page := r.request("GET", "/play/"+game, "")
	post := r.request("POST", play.PathBatch, r.batchOf(1, "start"))
	for _, req := range []*http.Request{page, post} {
		req.RemoteAddr = address + ":4711"
		req.Header.Set("User-Agent", agent)
		req.Header.Set("Referer", "https://unmistakable.example.com/")
	}
	if w := r.do(r.Pages(), page); w.Code != http.StatusOK {
		t.Fatalf("%d", w.Code)
	}
	if w := r.do(r.Games(), post); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	files := 0
	if err := filepath.WalkDir(r.dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		files++
		content, err := os.ReadFile(path)
		for _, secret := range []string{address, "Unmistakable", "unmistakable", "4711"} {
			if strings.Contains(string(content), secret) {
				t.Errorf("%s holds %q", path, secret)
			}
		}
		return err
	}); err != nil || files < 3 {
		t.Errorf("looked at %d files, %v", files, err)
	}
	if logged := r.logged.String(); strings.Contains(logged, address) || strings.Contains(logged, "nmistakable") {
		t.Errorf("logged %s", logged)
	}
}
