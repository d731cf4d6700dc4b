package activation

import "context"

// act is a change that the service made by itself.
type act struct{ from, next Info }

// AuditWith has audit record what the service activates by itself, or holds, before it takes
// effect; what it did since it was opened is recorded now.
func (e *Engine) AuditWith(ctx context.Context, audit Confirm) error {
	e.activating.Lock()
	defer e.activating.Unlock()
	for _, done := range e.unaudited {
		if err := audit(ctx, done.from, done.next); err != nil {
			return err
		}
	}
	e.audit, e.unaudited = audit, nil
	return nil
}

// record is the Confirm of what the service does by itself. The first policy of a data
// directory changes nothing.
func (e *Engine) record(ctx context.Context, from, next Info) error {
	switch {
	case from.Number == 0:
		return nil
	case e.audit == nil: // the store is opened after the policy
		e.unaudited = append(e.unaudited, act{from, next})
		return nil
	}
	return e.audit(ctx, from, next)
}
