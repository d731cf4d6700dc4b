package analytics

import (
	"strconv"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/store"
)

// Rows that the board's view shows.
const (
	viewPlaces = 20
	viewHeld   = 50
)

// board is what players see of a game's board, what they don't, and the rewards.
func (v *looking) board() error {
	now := v.now.UnixMilli()
	for _, of := range []struct{ window, title string }{
		{play.WindowAll, "Best of all time"}, {play.WindowWeek, "Best of this week"}, {play.WindowDay, "Best of today"},
	} {
		board, _, err := readBoard(v.Reader, boardQuery{v.game, "", of.window, now, viewPlaces, 0})
		if err != nil {
			return err
		}
		var rows [][]any
		for _, row := range board.Top {
			verified := play.NoteNone
			if row.Verified {
				verified = play.NoteVerified
			}
			rows = append(rows, []any{row.Rank, row.Name, row.Score, verified})
		}
		v.add(of.window, of.title, []string{"rank", "name", "score", "verified"}, rows)
	}
	if err := v.read("replays", "Played again", []string{"result", "replayed", "resultMeaning"}, func(scan store.Scan) ([]any, error) {
		var result string
		var runs int64
		err := scan(&result, &runs)
		return []any{result, runs, results[result]}, err
	}, "SELECT result, CAST(sum(runs) AS BIGINT) FROM play_replayed WHERE game = ? AND day BETWEEN ? AND ? GROUP BY result ORDER BY result DESC"); err != nil {
		return err
	}
	held, err := store.All(v.Reader, func(scan store.Scan) ([]any, error) {
		var at int64
		var player string
		var score float64
		err := scan(&at, &player, &score)
		return []any{timeOf(at), playerName(v.game, player), score}, err
	}, "SELECT at, player, score FROM play_runs WHERE game = ? AND day BETWEEN ? AND ? AND state = 'held' ORDER BY at DESC LIMIT "+strconv.Itoa(viewHeld),
		v.game, v.first, v.last)
	if err != nil {
		return err
	}
	v.add("held", "Held back", []string{"at", "name", "score"}, held)
	return v.read("rewards", "Rewards given", []string{"reward", "given", "givenTo"}, func(scan store.Scan) ([]any, error) {
		var reward string
		var given, to int64
		err := scan(&reward, &given, &to)
		return []any{reward, given, to}, err
	}, `SELECT reward, count(*), count(DISTINCT player) FROM play_grants WHERE game = ? AND at / 86400000 BETWEEN ? AND ? GROUP BY reward ORDER BY reward`)
}
