package analytics_test

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/svc-games/svc/api/answers"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
)

func runOf(player int, run int64, score float64) play.Score {
	return play.Score{Game: game, Build: build, Stream: id(5000 + player), Player: id(player), Sent: 100_000 * run, Run: run, Score: score, Outcome: "lose", Length: 60_000}
}

func (b *bench) submit(s play.Score) play.ScoreAnswer {
	b.t.Helper()
	a, err := b.Submit(b.t.Context(), analytics.Submission{Score: s, Class: analytics.ClassPublic})
	if err != nil {
		b.t.Fatal(err)
	}
	return a
}

func (b *bench) wantRefusal(s play.Score, status int) {
	b.t.Helper()
	var refused *answers.Error
	if _, err := b.Submit(b.t.Context(), analytics.Submission{Score: s, Class: analytics.ClassPublic}); !errors.As(err, &refused) || refused.Status != status {
		b.t.Errorf("%+v: %v, want a %d", s, err, status)
	}
}

func (b *bench) board(player int, window string) play.Board {
	b.t.Helper()
	board, err := b.Board(b.t.Context(), game, id(player), window, 10, 1)
	if err != nil {
		b.t.Fatal(err)
	}
	return board
}

func (b *bench) rules(rules analytics.BoardRules) {
	b.t.Helper()
	if err := b.SetBoardRules(b.t.Context(), game, rules); err != nil {
		b.t.Fatal(err)
	}
}

// standing is a player's best of a model.
type standing struct {
	player int
	score  float64
	at     time.Time
}

func TestBoardIsThatOfAModelWithTiesAndAround(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		random := rand.New(rand.NewPCG(1, 2))
		best, runs := map[int]standing{}, map[int]int64{}
		for range 150 {
			b.now = b.now.Add(4 * time.Second)
			player, score := random.IntN(40)+1, float64(random.IntN(15))
			runs[player]++
			b.submit(runOf(player, runs[player], score))
			if had, there := best[player]; !there || score > had.score {
				best[player] = standing{player, score, b.now}
			}
		}
		var order []standing
		for _, s := range best {
			order = append(order, s)
		}
		slices.SortFunc(order, func(x, y standing) int {
			if x.score != y.score {
				return int(y.score - x.score)
			}
			return x.at.Compare(y.at)
		})
		rank := func(i int) int64 {
			for i > 0 && order[i-1].score == order[i].score {
				i--
			}
			return int64(i + 1)
		}
		for i, s := range order {
			board := b.board(s.player, play.WindowAll)
			if board.Rank == nil || *board.Rank != rank(i) {
				t.Fatalf("player %d is %v, want %d", s.player, board.Rank, rank(i))
			}
			for j, row := range board.Top {
				if row.Rank != rank(j) || row.Score != order[j].score || row.You != (i == j) {
					t.Fatalf("place %d is %+v, want rank %d of %+v", j, row, rank(j), order[j])
				}
			}
			want := order[max(0, i-1):min(len(order), i+2)]
			for j, row := range board.Around {
				if len(board.Around) != len(want) || row.Rank != rank(max(0, i-1)+j) || row.Score != want[j].score || row.You != (want[j].player == s.player) {
					t.Fatalf("around player %d are %+v, want %+v", s.player, board.Around, want)
				}
			}
		}
	})
}

func TestRunThatIsReportedAgainChangesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.rules(analytics.BoardRules{Rewards: []analytics.Reward{
			{Reward: play.Reward{ID: "ten", Name: "Ten", Icon: "★"}, Kind: analytics.RewardScore, Least: 10},
			{Reward: play.Reward{ID: "daily", Name: "Today", Icon: "☀"}, Kind: analytics.RewardRuns, Least: 1, Daily: true},
		}})
		first := b.submit(runOf(1, 1, 12))
		if len(first.Rewards) != 2 || first.State != play.StateAccepted || first.Verified || *first.Rank != 1 || *first.Best != 12 {
			t.Errorf("the first is answered %+v", first)
		}
		for range 10 {
			changed := runOf(1, 1, 1000)
			if again := b.submit(changed); len(again.Rewards) != 2 || *again.Best != 12 {
				t.Errorf("again it is answered %+v", again)
			}
		}
		b.now = b.now.Add(time.Minute)
		if next := b.submit(runOf(1, 2, 15)); len(next.Rewards) != 0 || *next.Best != 15 {
			t.Errorf("the next is answered %+v", next)
		}
		b.now = b.now.AddDate(0, 0, 1)
		if next := b.submit(runOf(1, 3, 15)); len(next.Rewards) != 1 || next.Rewards[0].ID != "daily" {
			t.Errorf("that of the next day is answered %+v", next)
		}
	})
}

func TestRewardOfDaysNeedsThemInARow(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.rules(analytics.BoardRules{Rewards: []analytics.Reward{
			{Reward: play.Reward{ID: "three", Name: "Three days"}, Kind: analytics.RewardDays, Least: 3},
		}})
		for _, day := range []struct{ n, given int }{{0, 0}, {1, 0}, {3, 0}, {4, 0}, {5, 1}} {
			b.now = noon.AddDate(0, 0, day.n)
			if a := b.submit(runOf(1, int64(day.n+1), 1)); len(a.Rewards) != day.given {
				t.Errorf("on day %d are given %v, want %d", day.n, a.Rewards, day.given)
			}
		}
	})
}

func TestRunThatCantBeIsRefusedOrHeld(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		most, per := 500.0, 2.0
		b.rules(analytics.BoardRules{BoardSettings: analytics.BoardSettings{Most: &most, PerSecond: &per}})
		b.wantRefusal(runOf(1, 1, 501), http.StatusBadRequest)
		batch := batchOf(5002, 1, play.SessionStart)
		b.record(batch) // of player 2's stream, a second ago
		b.wantRefusal(runOf(2, 1, 1), http.StatusBadRequest)
		b.record(batchOf(5003, 1, play.SessionStart))
		b.now = b.now.Add(time.Minute)
		if held := b.submit(runOf(3, 1, 121)); held.State != play.StateHeld || held.Rank != nil || len(b.board(3, play.WindowAll).Top) != 0 {
			t.Errorf("a run of 60 s with 121 is answered %+v", held)
		}
		b.now = b.now.Add(time.Minute)
		b.submit(runOf(3, 2, 119))
		b.wantRefusal(runOf(3, 3, 1), http.StatusTooManyRequests) // at once
		other := runOf(4, 2, 1)
		other.Stream = id(5003)
		b.now = b.now.Add(time.Minute)
		b.wantRefusal(other, http.StatusBadRequest) // another player's run
		if a, err := b.Submit(t.Context(), analytics.Submission{Score: runOf(9, 1, 200), Class: analytics.ClassOwner}); err != nil || a.Rank != nil || len(a.Top) != 1 {
			t.Errorf("the owner's: %+v, %v", a, err)
		}
		nobody := runOf(9, 1, 200)
		nobody.Player = ""
		if a := b.submit(nobody); a.Rank != nil || len(a.Top) != 1 {
			t.Errorf("without a name: %+v", a)
		}
	})
}

// TestTimeOfARunIsThatOfTheServicesClock: whoever copies a key may say that a session
// began whenever they like.
func TestTimeOfARunIsThatOfTheServicesClock(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		per := 2.0
		b.rules(analytics.BoardRules{BoardSettings: analytics.BoardSettings{PerSecond: &per}})
		run := func(player int, length time.Duration, score float64) play.Score {
			s := runOf(player, 1, score)
			s.Length = length.Milliseconds()
			s.Sent = s.Length
			return s
		}
		const hours = 10 * time.Hour
		old := batchOf(5001, 1, play.SessionStart)
		old.Sent, old.Age = hours.Milliseconds(), hours.Milliseconds()
		b.record(old)
		for player, score := range map[int]float64{1: 1000, 2: 1000} { // 2's session never came
			if a := b.submit(run(player, hours, score)); a.State != play.StateHeld {
				t.Errorf("a run of ten hours in a session that was never seen before: %+v", a)
			}
		}
		if a := b.submit(run(3, hours, 59)); a.State != play.StateAccepted {
			t.Errorf("what half a minute allows: %+v", a)
		}
		b.record(batchOf(5004, 1, play.SessionStart))
		b.now = b.now.Add(10 * time.Minute)
		if a := b.submit(run(4, 10*time.Minute, 1199)); a.State != play.StateAccepted {
			t.Errorf("what ten minutes allow: %+v", a)
		}
	})
}

func TestWindowsOfABoardEndAtMidnightAndWithTheWeek(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		b.now = time.Date(2026, 11, 29, 23, 59, 0, 0, time.UTC) // a Sunday
		b.submit(runOf(1, 1, 7))
		b.now = b.now.Add(2 * time.Minute)
		b.submit(runOf(2, 1, 5))
		for window, want := range map[string]int{play.WindowAll: 2, play.WindowWeek: 1, play.WindowDay: 1} {
			if got := b.board(2, window); len(got.Top) != want || *got.Rank != int64(want) {
				t.Errorf("%s: %+v", window, got)
			}
		}
		b.rules(analytics.BoardRules{BoardSettings: analytics.BoardSettings{Lower: true}})
		b.now = b.now.Add(time.Minute)
		b.submit(runOf(1, 2, 9))
		b.submit(runOf(2, 2, 8))
		if got := b.board(1, play.WindowAll); *got.Rank != 2 || got.Top[0].Score != 8 {
			t.Errorf("where less is better: %+v", got)
		}
	})
}
