package client

import (
	"context"
	"net/http"

	"github.com/svc-games/svc/api"
)

// PlaySettings returns what is set for a project's published game.
func (c *Client) PlaySettings(ctx context.Context, projectID string) (api.PlaySettings, error) {
	var found api.PlaySettingsFound
	err := c.ask(ctx, http.MethodGet, partOf(projectID, "publish/settings"), nil, &found)
	return found.Data, err
}

// SetPlaySettings changes some of it; what is nil stays.
func (c *Client) SetPlaySettings(ctx context.Context, projectID string, change api.PlayChange) (api.PlaySettings, error) {
	var found api.PlaySettingsFound
	err := c.ask(ctx, http.MethodPost, partOf(projectID, "publish/settings"), change, &found)
	return found.Data, err
}

// RotatePlayKey gives a published game another key, and has those before go on for so many
// days, 0 to api.MaxKeepDays.
func (c *Client) RotatePlayKey(ctx context.Context, projectID string, keepDays int) (api.Publication, error) {
	body := struct {
		KeepDays int `json:"keepDays"`
	}{keepDays}
	var made api.Published
	err := c.ask(ctx, http.MethodPost, partOf(projectID, "publish/key"), body, &made)
	return made.Data, err
}

// Experiments returns those of a project's game.
func (c *Client) Experiments(ctx context.Context, projectID string) ([]api.Experiment, error) {
	return c.experiments(ctx, http.MethodGet, projectID, nil)
}

// ChangeExperiment makes a draft of an experiment, or takes it to another state, and
// returns all.
func (c *Client) ChangeExperiment(ctx context.Context, projectID string, change api.ExperimentChange) ([]api.Experiment, error) {
	return c.experiments(ctx, http.MethodPost, projectID, change)
}

func (c *Client) experiments(ctx context.Context, method, projectID string, body any) ([]api.Experiment, error) {
	var list api.ExperimentList
	err := c.ask(ctx, method, partOf(projectID, "experiments"), body, &list)
	return list.Data, err
}

// BoardRules returns how a game's board counts.
func (c *Client) BoardRules(ctx context.Context, projectID string) (api.BoardRules, error) {
	var found api.BoardRulesFound
	err := c.ask(ctx, http.MethodGet, partOf(projectID, "board"), nil, &found)
	return found.Data, err
}

// SetBoardRules replaces that. With the other score as the better one the board begins
// anew.
func (c *Client) SetBoardRules(ctx context.Context, projectID string, rules api.BoardRules) (api.BoardRules, error) {
	var found api.BoardRulesFound
	err := c.ask(ctx, http.MethodPost, partOf(projectID, "board"), rules, &found)
	return found.Data, err
}
