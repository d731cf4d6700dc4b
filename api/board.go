package api

// MaxScore is the largest score of a run, which a number holds exactly.
const MaxScore = 1e15

// MaxRewards bounds the rewards of a game.
const MaxRewards = 20

// Which score is the better one, and how often a reward is given.
const (
	BetterHigher = "higher"
	BetterLower  = "lower"
	OftenOnce    = "once"
	OftenDaily   = "daily"
)

// Kinds of a reward: what must be reached.
const (
	RewardWin   = "win"   // a run that is won
	RewardScore = "score" // so good a score
	RewardRuns  = "runs"  // so many runs
	RewardDays  = "days"  // runs on so many days in a row
)

// BoardRules are how a game's board counts, and what its players are given.
type BoardRules struct {
	Better    string       `json:"better"` // BetterHigher or BetterLower
	Least     *float64     `json:"least,omitempty"`
	Most      *float64     `json:"most,omitempty"`
	PerSecond *float64     `json:"perSecond,omitempty"` // a score that grew faster is held back
	Rewards   []RewardRule `json:"rewards"`
}

// RewardRule is what a player gets who reaches something: a name and an icon, never TIK.
type RewardRule struct {
	ID    string   `json:"id"`
	Name  string   `json:"name"`
	Icon  string   `json:"icon,omitempty"`
	Kind  string   `json:"kind"`
	Least *float64 `json:"least,omitempty"` // of what Kind says; none for a win
	Often string   `json:"often"`
}

// BoardRulesFound is the body of GET and POST /v1/projects/{id}/board.
type BoardRulesFound struct {
	Success bool       `json:"success"`
	Data    BoardRules `json:"data"`
}
