package service

import (
	"context"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/ledger"
)

// PlaySettings implements sidecar.Games.
func (s *Service) PlaySettings(ctx context.Context, projectID string) (api.PlaySettings, error) {
	o, err := s.PlayOptions(ctx, projectID)
	if err != nil {
		return api.PlaySettings{}, err
	}
	log, err := s.played.open(ctx)
	if err != nil {
		return api.PlaySettings{}, err
	}
	ask, err := log.AskConsent(ctx, projectID)
	out := api.PlaySettings{Origins: o.Origins, TIKPerMonth: ledger.DefaultGameTIK, AskConsent: ask, FormerKeysUntil: o.FormerKeysUntil}
	if o.TIKPerMonth != nil {
		out.TIKPerMonth = *o.TIKPerMonth
	}
	return out, err
}

// SetPlaySettings implements sidecar.Games.
func (s *Service) SetPlaySettings(ctx context.Context, projectID string, change api.PlayChange) (api.PlaySettings, error) {
	if err := s.SetPlayOptions(ctx, projectID, change); err != nil {
		return api.PlaySettings{}, err
	}
	if change.AskConsent != nil {
		log, err := s.played.open(ctx)
		if err == nil {
			err = log.SetAskConsent(ctx, projectID, *change.AskConsent)
		}
		if err != nil {
			return api.PlaySettings{}, err
		}
	}
	return s.PlaySettings(ctx, projectID)
}

// Experiments implements sidecar.Games.
func (s *Service) Experiments(ctx context.Context, projectID string) ([]api.Experiment, error) {
	log, err := s.played.open(ctx)
	if err != nil {
		return nil, err
	}
	found, err := log.Experiments(ctx, projectID)
	list := make([]api.Experiment, len(found))
	for i, e := range found {
		list[i] = e.Shown()
	}
	return list, err
}

// ChangeExperiment implements sidecar.Games.
func (s *Service) ChangeExperiment(ctx context.Context, projectID string, change api.ExperimentChange) ([]api.Experiment, error) {
	log, err := s.played.open(ctx)
	if err == nil {
		err = log.ChangeExperiment(ctx, projectID, change)
	}
	if err != nil {
		return nil, err
	}
	return s.Experiments(ctx, projectID)
}

// BoardRules implements sidecar.Games.
func (s *Service) BoardRules(ctx context.Context, projectID string) (api.BoardRules, error) {
	log, err := s.played.open(ctx)
	if err != nil {
		return api.BoardRules{}, err
	}
	rules, err := log.BoardRules(ctx, projectID)
	return rules.Shown(), err
}

// SetBoardRules implements sidecar.Games.
func (s *Service) SetBoardRules(ctx context.Context, projectID string, rules api.BoardRules) (api.BoardRules, error) {
	log, err := s.played.open(ctx)
	if err == nil {
		err = log.SetBoardRules(ctx, projectID, analytics.BoardRulesOf(rules))
	}
	if err != nil {
		return api.BoardRules{}, err
	}
	return s.BoardRules(ctx, projectID)
}

// Interface guards
var _ sidecar.Games = (*Service)(nil)
