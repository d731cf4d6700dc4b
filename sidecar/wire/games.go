package wire

import (
	"context"
	"time"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/peer/rpc"
	"github.com/svc-games/svc/sidecar"
)

type (
	playChange struct {
		ProjectID string         `json:"projectId"`
		Change    api.PlayChange `json:"change"`
	}
	keyRotation struct {
		ProjectID string        `json:"projectId"`
		Keep      time.Duration `json:"keep"` // nanoseconds
	}
	experimentChange struct {
		ProjectID string               `json:"projectId"`
		Change    api.ExperimentChange `json:"change"`
	}
	boardRules struct {
		ProjectID string         `json:"projectId"`
		Rules     api.BoardRules `json:"rules"`
	}
)

// handleGames serves the calls about what owners set for games.
func handleGames(s *rpc.Server, svc sidecar.Games) {
	rpc.HandleProject(s, "play-settings", svc.PlaySettings)
	rpc.Handle(s, "set-play-settings", func(ctx context.Context, r playChange) (api.PlaySettings, error) {
		return svc.SetPlaySettings(ctx, r.ProjectID, r.Change)
	})
	rpc.Handle(s, "rotate-play-key", func(ctx context.Context, r keyRotation) (api.Publication, error) {
		return svc.RotatePlayKey(ctx, r.ProjectID, r.Keep)
	})
	rpc.HandleProject(s, "experiments", svc.Experiments)
	rpc.Handle(s, "change-experiment", func(ctx context.Context, r experimentChange) ([]api.Experiment, error) {
		return svc.ChangeExperiment(ctx, r.ProjectID, r.Change)
	})
	rpc.HandleProject(s, "board-rules", svc.BoardRules)
	rpc.Handle(s, "set-board-rules", func(ctx context.Context, r boardRules) (api.BoardRules, error) {
		return svc.SetBoardRules(ctx, r.ProjectID, r.Rules)
	})
}

// PlaySettings implements sidecar.Games.
func (c *Client) PlaySettings(ctx context.Context, projectID string) (api.PlaySettings, error) {
	return call[api.PlaySettings](ctx, c, readTimeout, "play-settings", rpc.ProjectRef{ProjectID: projectID})
}

// SetPlaySettings implements sidecar.Games.
func (c *Client) SetPlaySettings(ctx context.Context, projectID string, change api.PlayChange) (api.PlaySettings, error) {
	return call[api.PlaySettings](ctx, c, saveTimeout, "set-play-settings", playChange{projectID, change})
}

// RotatePlayKey implements sidecar.Games.
func (c *Client) RotatePlayKey(ctx context.Context, projectID string, keep time.Duration) (api.Publication, error) {
	return call[api.Publication](ctx, c, saveTimeout, "rotate-play-key", keyRotation{projectID, keep})
}

// Experiments implements sidecar.Games.
func (c *Client) Experiments(ctx context.Context, projectID string) ([]api.Experiment, error) {
	return call[[]api.Experiment](ctx, c, readTimeout, "experiments", rpc.ProjectRef{ProjectID: projectID})
}

// ChangeExperiment implements sidecar.Games.
func (c *Client) ChangeExperiment(ctx context.Context, projectID string, change api.ExperimentChange) ([]api.Experiment, error) {
	return call[[]api.Experiment](ctx, c, saveTimeout, "change-experiment", experimentChange{projectID, change})
}

// BoardRules implements sidecar.Games.
func (c *Client) BoardRules(ctx context.Context, projectID string) (api.BoardRules, error) {
	return call[api.BoardRules](ctx, c, readTimeout, "board-rules", rpc.ProjectRef{ProjectID: projectID})
}

// SetBoardRules implements sidecar.Games.
func (c *Client) SetBoardRules(ctx context.Context, projectID string, rules api.BoardRules) (api.BoardRules, error) {
	return call[api.BoardRules](ctx, c, saveTimeout, "set-board-rules", boardRules{projectID, rules})
}
