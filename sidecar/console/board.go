package console

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/api/requests"
	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/site"
)

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
		w := api.RewardRule{
			ID: id, Name: strings.TrimSpace(x.r.PostFormValue("name")), Icon: strings.TrimSpace(x.r.PostFormValue("icon")),
			Kind: x.r.PostFormValue("kind"), Often: x.r.PostFormValue("often"),
		}
		var err error
		if w.Least, err = optionalNumber(x.r.PostFormValue("least")); err != nil {
			return err
		}
		if err := requests.CheckReward(w); err != nil {
			return unprocessable(err)
		}
		if rules.Rewards = append(rules.Rewards, analytics.RewardOf(w)); len(rules.Rewards) > api.MaxRewards {
			return &failure{http.StatusConflict, fmt.Sprintf("A game has %d rewards at most.", api.MaxRewards)}
		}
		return nil
	})
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
