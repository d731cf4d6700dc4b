package requests

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/answers"
)

// ParseBoardRules reads and checks the body of POST /v1/projects/{id}/board. Its error is
// an *answers.Error with status 400.
func ParseBoardRules(body []byte) (api.BoardRules, error) {
	rules := api.BoardRules{Better: api.BetterHigher, Rewards: []api.RewardRule{}}
	err := decodeObject(body, "", members{
		"better":    oneOf(&rules.Better, "better", api.BetterHigher, api.BetterLower),
		"least":     score(&rules.Least, "least"),
		"most":      score(&rules.Most, "most"),
		"perSecond": score(&rules.PerSecond, "perSecond"),
		"rewards": func(raw json.RawMessage) error {
			return decodeArray(raw, "rewards", api.MaxRewards, func(i int, raw json.RawMessage) error {
				w := api.RewardRule{Often: api.OftenOnce}
				at := "rewards[" + strconv.Itoa(i) + "]"
				err := decodeObject(raw, at, members{
					"id": text(&w.ID, at+".id", 1, 40), "name": text(&w.Name, at+".name", 1, 40), "icon": text(&w.Icon, at+".icon", 0, 8),
					"kind":  oneOf(&w.Kind, at+".kind", api.RewardWin, api.RewardScore, api.RewardRuns, api.RewardDays),
					"often": oneOf(&w.Often, at+".often", api.OftenOnce, api.OftenDaily), "least": score(&w.Least, at+".least"),
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
		return api.BoardRules{}, err
	}
	return rules, nil
}

// score reads a number that a score may be into dst.
func score(dst **float64, at string) func(json.RawMessage) error {
	return value(at, "a number", func(n float64) error {
		if math.Abs(n) > api.MaxScore {
			return answers.BadRequest("%s must be a number from -1e15 to 1e15.", at)
		}
		*dst = &n
		return nil
	})
}

func checkBoard(r api.BoardRules) error {
	seen := make(map[string]bool)
	for _, w := range r.Rewards {
		if err := CheckReward(w); err != nil {
			return err
		}
		if seen[w.ID] {
			return answers.BadRequest("The reward %s is given twice.", w.ID)
		}
		seen[w.ID] = true
	}
	return nil
}

var rewardID = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// CheckReward says what is wrong with a reward. Its error is an *answers.Error with status 400.
func CheckReward(w api.RewardRule) error {
	switch {
	case !rewardID.MatchString(w.ID):
		return answers.BadRequest("A reward's id has 1 to 40 characters of a-z, 0-9, _ and -, the first a letter.")
	case w.Name == "" || utf8.RuneCountInString(w.Name) > 40 || utf8.RuneCountInString(w.Icon) > 8:
		return answers.BadRequest("A reward has a name of 1 to 40 characters and an icon of at most 8.")
	case w.Kind == api.RewardWin:
		return nil
	case w.Kind != api.RewardScore && w.Kind != api.RewardRuns && w.Kind != api.RewardDays:
		return answers.BadRequest("A reward is for a win, a score, runs, or days in a row.")
	case w.Least == nil || w.Kind != api.RewardScore && (*w.Least < 1 || *w.Least > 1000):
		return answers.BadRequest("Say how much is needed: a score, or a number of runs or days from 1 to 1000.")
	}
	return nil
}
