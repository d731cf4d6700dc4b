package service

import (
	"context"
	"slices"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/sidecar/analytics"
)

// tableOfBuilds is the name of the tables that have a row for each build, newest first, which
// stands in their first column. That of funnels has one for each step, too.
const tableOfBuilds = "builds"

// withPrompts adds to the tables of builds what each was asked for, and returns it by build:
// which of it made players stay.
func (s *Service) withPrompts(ctx context.Context, projectID string, tables []api.ViewTable) (map[string]string, error) {
	at := slices.IndexFunc(tables, func(t api.ViewTable) bool { return t.Name == tableOfBuilds && len(t.Rows) > 0 })
	if at < 0 {
		return nil, nil
	}
	t := &tables[at]
	newest, _ := t.Rows[0][0].(string)
	oldest, _ := t.Rows[len(t.Rows)-1][0].(string)
	prompts, err := s.BuildPrompts(ctx, projectID, oldest, newest)
	if err != nil {
		return nil, err
	}
	t.Columns = append(t.Columns, analytics.Column("prompt"))
	for i, row := range t.Rows {
		prompt := any(nil)
		if build, _ := row[0].(string); prompts[build] != "" {
			prompt = prompts[build]
		}
		t.Rows[i] = append(row, prompt)
	}
	return prompts, nil
}
