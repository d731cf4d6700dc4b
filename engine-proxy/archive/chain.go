package archive

import (
	"fmt"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
)

// eventChain looks at the events of an ended job one after the other. Its errors are
// ErrRefused.
type eventChain struct {
	rec  contract.JobRecord
	last eventHead
}

// add takes the next line of the log.
func (c *eventChain) add(line []byte) error {
	if len(line) > api.MaxEventData {
		return fmt.Errorf("%w: an event is too long", ErrRefused)
	}
	head, err := parseHead(line)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	if head.JobID != c.rec.JobID || head.Seq <= c.last.Seq || api.TerminalEvent(c.last.Type) {
		return fmt.Errorf("%w: event %d is out of place", ErrRefused, head.Seq)
	}
	c.last = head
	return nil
}

// end says whether the log ends as the record does.
func (c *eventChain) end() error {
	if c.last.Type != api.TerminalEventOf(c.rec.Status) || c.last.Seq != c.rec.LastEventID {
		return fmt.Errorf("%w: the log ends with event %d %s, the record with event %d and status %s",
			ErrRefused, c.last.Seq, c.last.Type, c.rec.LastEventID, c.rec.Status)
	}
	return nil
}
