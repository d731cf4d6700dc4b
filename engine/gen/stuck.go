package gen

import "context"

// Stuck is a generator that never returns by itself; a test aid.
type Stuck struct{}

// Generate implements Generator.
func (Stuck) Generate(ctx context.Context, _ Request, _ Reporter) (Result, error) {
	<-ctx.Done()
	return Result{}, ctx.Err()
}

var _ Generator = Stuck{}
