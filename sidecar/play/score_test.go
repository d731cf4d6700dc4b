package play

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/experiment"
)

// runOf is the end of a run, with members besides.
func (r *rig) runOf(run int, score string, members ...string) string {
	return fmt.Sprintf(`{"v":1,"k":%q,"g":%q,"b":%q,"s":%q,"o":90000,"run":%d,"score":%s,"outcome":"win","ms":60000%s}`,
		r.key, game, job, stream, run, score, strings.Join(append([]string{""}, members...), ","))
}

func (r *rig) scored(body string) (a play.ScoreAnswer) {
	r.t.Helper()
	w := r.answer(r.Games(), "POST", play.PathScore, body)
	if w.Code != http.StatusOK || w.Header().Get("Access-Control-Allow-Origin") != "*" {
		r.t.Fatalf("the run is answered %d %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil {
		r.t.Fatal(err)
	}
	return a
}

func TestEndOfARunIsAnsweredWithItsPlaceByTheTokensPlayer(t *testing.T) {
	r := newRig(t)
	id := r.identity(r.answer(r.Pages(), "GET", "/play/"+game, ""))
	forged := fmt.Sprintf(`"t":%q,"p":%q`, id.Token, strings.Repeat("f", 32))
	a := r.scored(r.runOf(1, "40", forged))
	if !a.OK || a.Rank == nil || *a.Rank != 1 || len(a.Top) != 1 || !a.Top[0].You || a.State != play.StateAccepted || a.Verified {
		t.Errorf("the run is answered %+v", a)
	}
	if strings.Contains(a.Top[0].Name, id.Player) || len(strings.Fields(a.Top[0].Name)) != 3 {
		t.Errorf("the player is called %q", a.Top[0].Name)
	}
	var board play.Board
	w := r.answer(r.Games(), "GET", fmt.Sprintf("%s?g=%s&k=%s&p=%s&win=day", play.PathBoard, game, r.key, id.Player), "")
	if err := json.Unmarshal(w.Body.Bytes(), &board); err != nil || w.Code != http.StatusOK || *board.Rank != 1 || board.Window != "day" {
		t.Errorf("the board is %d %s", w.Code, w.Body)
	}
}

// TestBoardIsReadOnceInAWhileHoweverManyLook, and so often a minute by all who ask for
// different parts of it.
func TestBoardIsReadOnceInAWhileHoweverManyLook(t *testing.T) {
	r := newRig(t)
	player := strings.Repeat("a", 32)
	look := func(more string) (int, play.Board) {
		t.Helper()
		var board play.Board
		w := r.answer(r.Games(), "GET", fmt.Sprintf("%s?g=%s&k=%s%s", play.PathBoard, game, r.key, more), "")
		if w.Code == http.StatusOK {
			if err := json.Unmarshal(w.Body.Bytes(), &board); err != nil || w.Body.Len() > 4<<10 {
				t.Fatalf("%d bytes: %v", w.Body.Len(), err)
			}
		}
		return w.Code, board
	}
	look("")
	r.scored(r.runOf(1, "40", `"p":"`+player+`"`))
	if _, board := look(""); len(board.Top) != 0 {
		t.Errorf("at once it is read anew: %+v", board)
	}
	if _, board := look("&p=" + player); board.Rank == nil {
		t.Errorf("its player sees %+v", board)
	}
	r.now = r.now.Add(boardTime)
	if _, board := look(""); len(board.Top) != 1 {
		t.Errorf("later it is %+v", board)
	}
	r.takeAll(ofBoard, game, maxBoards)
	if code, _ := look("&p=" + strings.Repeat("b", 32)); code != http.StatusTooManyRequests {
		t.Errorf("past the game's bound: %d", code)
	}
	if code, _ := look(""); code != http.StatusOK {
		t.Errorf("what was read just before: %d", code)
	}
}

func TestScoreThatCantBeIsRefusedAndNotOnTheBoard(t *testing.T) {
	r := newRig(t)
	player := fmt.Sprintf(`"p":%q`, strings.Repeat("a", 32))
	for name, body := range map[string]string{
		"not a number": r.runOf(1, "NaN", player), "infinite": r.runOf(1, "1e999", player), "huge": r.runOf(1, "1e308", player), "a text": r.runOf(1, `"7"`, player),
		"run 0": r.runOf(0, "1", player), "longer than its session": r.runOf(1, "1", player, `"ms":90001`), "longer than any": r.runOf(1, "1", player, `"o":43200001`, `"ms":43200001`), "no version": `{"score":1}`, "a player of markup": r.runOf(1, "1", `"p":"<b>"`),
	} {
		if w := r.answer(r.Games(), "POST", play.PathScore, body); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	if w := r.answer(r.Games(), "POST", play.PathScore, strings.Replace(r.runOf(1, "1", player), r.key, "sk-"+r.key[3:], 1)); w.Code != http.StatusUnauthorized {
		t.Errorf("another key: %d", w.Code)
	}
	for _, query := range []string{"g=x", "g=" + game + "&p=x", "g=" + game + "&win=year"} {
		if w := r.answer(r.Games(), "GET", play.PathBoard+"?k="+r.key+"&"+query, ""); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", query, w.Code)
		}
	}
	r.scored(r.runOf(1, "1", player))
	if w := r.answer(r.Games(), "POST", play.PathScore, r.runOf(2, "1", player)); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
		t.Errorf("a run right after another: %d", w.Code)
	}
	r.now = r.now.Add(time.Minute)
	if a := r.scored(r.runOf(2, "3", player)); len(a.Top) != 1 || *a.Best != 3 {
		t.Errorf("the board has %+v", a.Top)
	}
}

// TestTapeThatIsTooLongCostsNoRun: it counts as one of which nothing is known.
func TestTapeThatIsTooLongCostsNoRun(t *testing.T) {
	r := newRig(t)
	tape := func(bytes int) string { return `"log":"{` + strings.Repeat("x", bytes-2) + `}"` }
	for n, c := range []struct{ log, note string }{
		{`"log":""`, play.NoteNone}, {tape(play.MaxLog + 1), play.NoteNone}, {`"log":"\u0000"`, play.NoteNone}, {`"log":"no JSON"`, play.NoteNone},
		{`"log":"{\"v\":1}"`, play.NoteWaits}, {`"log":"{\"text\":\"` + strings.Repeat("x", play.MaxLog-11) + `\"}"`, play.NoteWaits},
	} {
		player := strings.Repeat(string(rune('a'+n)), 32)
		if a := r.scored(r.runOf(n+1, "5", fmt.Sprintf(`"p":%q,"s":%q`, player, player), c.log)); a.Rank == nil || a.State != play.StateAccepted || a.Note != c.note {
			t.Errorf("run %d is answered %+v, want %s", n+1, a, c.note)
		}
	}
	player := fmt.Sprintf(`"p":%q`, strings.Repeat("9", 32))
	if w := r.answer(r.Games(), "POST", play.PathScore, r.runOf(1, "5", player, tape(10<<20))); w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("10 MB are answered %d", w.Code)
	}
	if a := r.scored(r.runOf(1, "5", player)); a.Rank == nil {
		t.Errorf("the run without them is answered %+v", a)
	}
}

// TestRunThatLayOnADeviceIsItsPlayers, though its token has run out meanwhile.
func TestRunThatLayOnADeviceIsItsPlayers(t *testing.T) {
	r := newRig(t)
	r.origins = []string{"https://example.com"}
	id := r.identity(r.answer(r.Pages(), "GET", "/play/"+game, ""))
	r.now = r.now.Add(40 * time.Hour)
	run := func(age time.Duration) int {
		body := r.runOf(1, "40", fmt.Sprintf(`"t":%q,"age":%d`, id.Token, age.Milliseconds()))
		return r.answer(r.Games(), "POST", play.PathScore, body, "Origin", "null").Code
	}
	if now, old, lay := run(0), run(73*time.Hour), run(39*time.Hour); now != http.StatusForbidden || old != http.StatusBadRequest || lay != http.StatusOK {
		t.Errorf("at once %d, after 73 hours %d, and after 39 %d", now, old, lay)
	}
	if board, err := r.log.Board(t.Context(), game, id.Player, play.WindowAll, 1, 1); err != nil || board.Rank == nil {
		t.Errorf("the board is %+v, %v", board, err)
	}
}

func TestPageGivesThePlayersVariantAndPagesOfOthersWinnersAlone(t *testing.T) {
	r := newRig(t)
	for _, id := range []string{"speed", "lives"} {
		if err := r.log.DraftExperiment(t.Context(), game, id, experiment.Even([]string{"1", "2"})); err != nil {
			t.Fatal(err)
		}
		if err := r.log.MoveExperiment(t.Context(), game, id, analytics.ExperimentRunning, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.log.MoveExperiment(t.Context(), game, "lives", analytics.ExperimentWinner, "2"); err != nil {
		t.Fatal(err)
	}
	id := r.identity(r.answer(r.Pages(), "GET", "/play/"+game, ""))
	if len(id.Variants) != 2 || id.Variants["lives"] != "2" || id.Variants["speed"] != "1" && id.Variants["speed"] != "2" {
		t.Errorf("a player gets %v", id.Variants)
	}
	if id := r.identity(r.answer(r.Pages(), "GET", "/play/"+game, "", "Sec-GPC", "1")); len(id.Variants) != 1 || id.Variants["lives"] != "2" {
		t.Errorf("who is not to be followed gets %v", id.Variants)
	}
	if script := r.answer(r.Pages(), "GET", "/play/"+game+"/host.js", "").Body.String(); !strings.Contains(script, `"variants":{"lives":"2"}`) {
		t.Errorf("a page of others gets %s", script)
	}
}
