package decisionlog

import "context"

type projectKey struct{}

// WithProject returns a context of decisions about a project that is not there: the
// policy sees null, and the record has its id.
func WithProject(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, projectKey{}, id)
}

// ProjectOf returns the id that WithProject put into a context, "" without one.
func ProjectOf(ctx context.Context) string {
	id, _ := ctx.Value(projectKey{}).(string)
	return id
}
