package driver

import "context"

// Sampler is a Driver that sees whether an instance wants the processor.
type Sampler interface {
	Driver

	// Computes reports whether any process of a running instance has a processor,
	// or waits for one, at this moment. ErrNotFound or ErrUnavailable.
	Computes(ctx context.Context, h Handle) (bool, error)
}
