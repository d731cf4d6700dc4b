package jobs

import (
	"cmp"
	"context"

	"go.uber.org/zap"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
)

// choose settles who makes a job's game, and says so in its record: the model that
// the settings name, or the operator's default, which they then name.
func (m *Manager) choose(ctx context.Context, j *job, rep *reporter, s *api.Settings) {
	chooser, ok := m.cfg.Generator.(gen.Chooser)
	if !ok || j.undo != nil && j.undo.Rest == "" {
		s.Model = cmp.Or(s.Model, api.ModelEmbedded)
		j.author = s.Model
		return
	}
	name, err := chooser.Choose(ctx, s.Model)
	if err != nil {
		m.cfg.Log.Warn("models not listed", zap.String("job", j.id), zap.Error(err))
	}
	if err != nil && s.Model == "" && ctx.Err() == nil {
		rep.Event(api.EventWarning, map[string]any{
			"code": "degraded", "message": "Which models there are could not be asked: the generator made the game by itself. Submit again for a model.",
		})
	}
	s.Model = cmp.Or(s.Model, name)
	m.mu.Lock()
	defer m.mu.Unlock()
	j.author, j.stored.Record.Model = name, name
}
