package decisionlog

import "context"

type (
	projectKey struct{}
	repeatsKey struct{}
	pageKey    struct{}
)

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

// WithRepeats returns a context of decisions about a user that anyone can cause any number
// of, or one request a hundred: see Entry.Repeats.
func WithRepeats(ctx context.Context) context.Context {
	return context.WithValue(ctx, repeatsKey{}, true)
}

// WithPage returns a context of decisions for a page that a user who is signed in asks for:
// see Entry.Page.
func WithPage(ctx context.Context) context.Context { return context.WithValue(ctx, pageKey{}, true) }

// Page reports whether a context is one of WithPage.
func Page(ctx context.Context) bool {
	_, ok := ctx.Value(pageKey{}).(bool)
	return ok
}

// Repeats reports whether a context is one of WithRepeats.
func Repeats(ctx context.Context) bool {
	_, ok := ctx.Value(repeatsKey{}).(bool)
	return ok
}
