package api

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"unicode/utf8"
)

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

// ParseBoardRules reads and checks the body of POST /v1/projects/{id}/board. Its error is
// an *Error with status 400.
func ParseBoardRules(body []byte) (BoardRules, error) {
	rules := BoardRules{Better: BetterHigher, Rewards: []RewardRule{}}
	err := decodeObject(body, "", members{
		"better":    oneOf(&rules.Better, "better", BetterHigher, BetterLower),
		"least":     score(&rules.Least, "least"),
		"most":      score(&rules.Most, "most"),
		"perSecond": score(&rules.PerSecond, "perSecond"),
		"rewards": func(raw json.RawMessage) error {
			return decodeArray(raw, "rewards", MaxRewards, func(i int, raw json.RawMessage) error {
				w := RewardRule{Often: OftenOnce}
				at := "rewards[" + strconv.Itoa(i) + "]"
				err := decodeObject(raw, at, members{
					"id": text(&w.ID, at+".id", 1, 40), "name": text(&w.Name, at+".name", 1, 40), "icon": text(&w.Icon, at+".icon", 0, 8),
					"kind":  oneOf(&w.Kind, at+".kind", RewardWin, RewardScore, RewardRuns, RewardDays),
					"often": oneOf(&w.Often, at+".often", OftenOnce, OftenDaily), "least": score(&w.Least, at+".least"),
				})
				rules.Rewards = append(rules.Rewards, w)
				return err
			})
		},
	})
	if err == nil {
		err = checkBoard(rules)
	}
	if err != nil {
		return BoardRules{}, err
	}
	return rules, nil
}

// score reads a number that a score may be into dst.
func score(dst **float64, at string) func(json.RawMessage) error {
	return value(at, "a number", func(n float64) error {
		if math.Abs(n) > MaxScore {
			return BadRequest("%s must be a number from -1e15 to 1e15.", at)
		}
		*dst = &n
		return nil
	})
}

func checkBoard(r BoardRules) error {
	seen := make(map[string]bool)
	for _, w := range r.Rewards {
		if err := CheckReward(w); err != nil {
			return err
		}
		if seen[w.ID] {
			return BadRequest("The reward %s is given twice.", w.ID)
		}
		seen[w.ID] = true
	}
	return nil
}

var rewardID = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// CheckReward says what is wrong with a reward. Its error is an *Error with status 400.
func CheckReward(w RewardRule) error {
	switch {
	case !rewardID.MatchString(w.ID):
		return BadRequest("A reward's id has 1 to 40 characters of a-z, 0-9, _ and -, the first a letter.")
	case w.Name == "" || utf8.RuneCountInString(w.Name) > 40 || utf8.RuneCountInString(w.Icon) > 8:
		return BadRequest("A reward has a name of 1 to 40 characters and an icon of at most 8.")
	case w.Kind == RewardWin:
		return nil
	case w.Kind != RewardScore && w.Kind != RewardRuns && w.Kind != RewardDays:
		return BadRequest("A reward is for a win, a score, runs, or days in a row.")
	case w.Least == nil || w.Kind != RewardScore && (*w.Least < 1 || *w.Least > 1000):
		return BadRequest("Say how much is needed: a score, or a number of runs or days from 1 to 1000.")
	}
	return nil
}
