package play

import (
	"math"
	"slices"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// Paths of boards at the origin of games.
const (
	PathScore = "/g/v1/s" // POST, the end of a run
	PathBoard = "/g/v1/l" // GET
)

// Windows of a board.
const (
	WindowAll  = "all"
	WindowWeek = "week"
	WindowDay  = "day"
)

// Windows are all of them.
func Windows() []string { return []string{WindowAll, WindowWeek, WindowDay} }

// Score is the end of a run.
type Score struct {
	Key     string  `json:"k"`
	Game    string  `json:"g"`
	Build   string  `json:"b"`
	Stream  string  `json:"s"`
	Player  string  `json:"p"`
	Token   string  `json:"t"`
	Sent    int64   `json:"o"`   // ms of the stream's clock
	Age     int64   `json:"age"` // ms that it lay on the device
	Run     int64   `json:"run"` // of the stream, from 1
	Score   float64 `json:"score"`
	Outcome string  `json:"outcome"`
	Length  int64   `json:"ms"` // of the run
	// Log is the run itself, as the game wrote it, by which it can be played again; "" for
	// a game that writes none, and for one that is longer than MaxLog.
	Log string `json:"log"`
}

// MaxLog bounds a run as text, in bytes.
const MaxLog = 32 << 10

// MaxRuns bounds the runs of a stream.
const MaxRuns = 10_000

// ParseScore reads the end of a run. Its error is an *answers.Error with status 400.
func ParseScore(body []byte) (Score, error) {
	var s struct {
		Version int `json:"v"`
		Score
	}
	if err := decode(body, &s); err != nil {
		return Score{}, err
	}
	switch {
	case s.Version != 1:
		return Score{}, answers.BadRequest("v must be 1.")
	case !api.ValidProjectID(s.Game):
		return Score{}, answers.BadRequest("g is not the id of a game.")
	case s.Build != "" && !api.ValidJobID(s.Build):
		return Score{}, answers.BadRequest("b is not the id of a job.")
	case !validID(s.Stream) || s.Player != "" && !validID(s.Player):
		return Score{}, answers.BadRequest("s and p must be 32 hexadecimal characters.")
	case s.Run < 1 || s.Run > MaxRuns || s.Sent < 0 || s.Length < 0 || s.Length > min(s.Sent, MaxStream):
		return Score{}, answers.BadRequest("run, o and ms are not those of a run.")
	case s.Age < 0 || s.Age > MaxAge:
		return Score{}, answers.BadRequest("age must be 0 to %d.", MaxAge)
	case math.Abs(s.Score.Score) > MaxScore:
		return Score{}, answers.BadRequest("score must be a number from -1e15 to 1e15.")
	case !short(s.Outcome):
		return Score{}, answers.BadRequest("outcome must be a short text.")
	}
	if len(s.Log) > MaxLog || strings.Contains(s.Log, "\x00") {
		s.Log = "" // it counts all the same
	}
	return s.Score, nil
}

// MaxScore is the largest score, which a number holds exactly.
const MaxScore = api.MaxScore

// Board is a part of a board: its best, and those around the player.
type Board struct {
	Window string `json:"window"`
	Rank   *int64 `json:"rank"` // the player's; null for none
	Top    []Row  `json:"top"`
	Around []Row  `json:"around"`
}

// Row is a player's best on a board. Equal scores have one rank; the earlier stands first.
type Row struct {
	Rank  int64   `json:"rank"`
	Name  string  `json:"name"` // made by the service; no player writes one
	Score float64 `json:"score"`
	You   bool    `json:"you,omitempty"`
	// Verified says that the run was played again and came to this score.
	Verified bool `json:"verified,omitempty"`
}

// Reward is what a run brought its player.
type Reward struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Icon string `json:"icon"`
}

// States of a run.
const (
	StateAccepted = "accepted" // within bounds, and not played again
	StateHeld     = "held"     // on no board but for its own player
	StateVerified = "verified" // played again, and it came to the same score
	StateRefused  = "refused"  // played again, and it did not: it is on no board
)

// Notes say to a player what is known of a run.
const (
	NoteVerified = "verified"
	NoteWaits    = "to be verified"
	NoteHeld     = "held back"
	NoteRefused  = "refused"
	NoteNone     = "not verified"
)

// ScoreAnswer is that to a Score.
type ScoreAnswer struct {
	OK       bool     `json:"ok"`
	State    string   `json:"state"`
	Verified bool     `json:"verified"` // that the run was played again with the same end
	Note     string   `json:"note"`     // one of the notes
	Best     *float64 `json:"best"`     // the player's
	Board
	Rewards []Reward `json:"rewards"`
}

// ValidWindow reports whether a text names a window.
func ValidWindow(s string) bool { return slices.Contains(Windows(), s) }

// ValidPlayer reports whether a text can be a player's name for a game.
func ValidPlayer(s string) bool { return validID(s) }
