package console

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/site"
)

// maxRewards bounds the rewards of a game.
const maxRewards = 20

// setBoard sets how a game's board counts.
func (c *Console) setBoard(x *exchange) error {
	return c.changeBoard(x, func(rules *analytics.BoardRules) error {
		rules.Lower = x.r.PostFormValue("better") == "lower"
		for name, into := range map[string]**float64{"least": &rules.Least, "most": &rules.Most, "perSecond": &rules.PerSecond} {
			var err error
			if *into, err = optionalNumber(x.r.PostFormValue(name)); err != nil {
				return err
			}
		}
		return nil
	})
}

// optionalNumber reads a number, nil for none.
func optionalNumber(text string) (*float64, error) {
	if text = strings.TrimSpace(text); text == "" {
		return nil, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(n) || math.Abs(n) > play.MaxScore {
		return nil, &failure{http.StatusUnprocessableEntity, fmt.Sprintf("%q is not a number from -1e15 to 1e15.", text)}
	}
	return &n, nil
}

var rewardID = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// setReward adds a reward, or removes one.
func (c *Console) setReward(x *exchange) error {
	return c.changeBoard(x, func(rules *analytics.BoardRules) error {
		id := x.r.PostFormValue("id")
		var others []analytics.Reward
		for _, w := range rules.Rewards {
			if w.ID != id {
				others = append(others, w)
			}
		}
		rules.Rewards = others
		if x.r.PostForm.Has("remove") {
			return nil
		}
		w := analytics.Reward{
			Reward: play.Reward{ID: id, Name: strings.TrimSpace(x.r.PostFormValue("name")), Icon: strings.TrimSpace(x.r.PostFormValue("icon"))},
			Kind:   x.r.PostFormValue("kind"), Daily: x.r.PostFormValue("often") == "daily",
		}
		least, err := optionalNumber(x.r.PostFormValue("least"))
		if err != nil {
			return err
		}
		if least != nil {
			w.Least = *least
		}
		if problem := rewardProblem(w, least != nil); problem != "" {
			return &failure{http.StatusUnprocessableEntity, problem}
		}
		if rules.Rewards = append(rules.Rewards, w); len(rules.Rewards) > maxRewards {
			return &failure{http.StatusConflict, fmt.Sprintf("A game has %d rewards at most.", maxRewards)}
		}
		return nil
	})
}

// rewardProblem says what is wrong with a reward, "" for nothing.
func rewardProblem(w analytics.Reward, counted bool) string {
	switch {
	case !rewardID.MatchString(w.ID):
		return "A reward's id has 1 to 40 characters of a-z, 0-9, _ and -, the first a letter."
	case w.Name == "" || utf8.RuneCountInString(w.Name) > 40 || utf8.RuneCountInString(w.Icon) > 8:
		return "A reward has a name of 1 to 40 characters and an icon of at most 8."
	case w.Kind == analytics.RewardWin:
		return ""
	case w.Kind != analytics.RewardScore && w.Kind != analytics.RewardRuns && w.Kind != analytics.RewardDays:
		return "A reward is for a win, a score, runs, or days in a row."
	case !counted || w.Kind != analytics.RewardScore && (w.Least < 1 || w.Least > 1000):
		return "Say how much is needed: a score, or a number of runs or days from 1 to 1000."
	}
	return ""
}

// changeBoard changes the rules of a project's board.
func (c *Console) changeBoard(x *exchange, change func(*analytics.BoardRules) error) error {
	project, err := c.project(x, policy.ActionPublish)
	if err != nil {
		return err
	}
	played, err := c.Played(x.r.Context())
	if err != nil {
		return err
	}
	rules, err := played.BoardRules(x.r.Context(), project.ID)
	if err != nil {
		return err
	}
	if err := change(&rules); err != nil {
		return err
	}
	if err := played.SetBoardRules(x.r.Context(), project.ID, rules); err != nil {
		return err
	}
	return x.redirect(site.Path + "projects/" + project.ID + "/analytics/" + api.ViewBoard)
}
