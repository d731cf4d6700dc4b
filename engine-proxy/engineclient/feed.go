package engineclient

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
)

// Bounds of a feed record. What its units take in memory is many times what
// they take in the line.
const (
	maxFeedLine = 256 << 10 // bytes
	maxUnits    = 100       // priced together in one step
)

// Feed is an open feed. It ends when its context does.
type Feed struct {
	client *Client
	body   io.ReadCloser
	scan   *bufio.Scanner
	feedID string
	last   uint64
	bytes  int // of the last record
}

// Feed opens the feed after a record that was applied before; 0 for all.
func (c *Client) Feed(ctx context.Context, feedID string, after uint64) (*Feed, error) {
	path := contract.PathFeed + "?after=" + strconv.FormatUint(after, 10)
	res, err := c.do(ctx, http.MethodGet, path, nil)
	if status := (*StatusError)(nil); errors.As(err, &status) &&
		(status.Status == http.StatusConflict || status.Status == http.StatusGone) {
		return nil, fmt.Errorf("%w: opening feed: %w", ErrContract, err) // it forgot, or never knew, what was applied
	}
	if err != nil {
		return nil, fmt.Errorf("opening feed: %w", err)
	}
	return &Feed{client: c, body: res.Body, scan: bounded.Lines(res.Body, maxFeedLine), feedID: feedID, last: after}, nil
}

// Next waits for the next record. A record that is not the next of this feed,
// or speaks of another project, is an error: nothing is skipped. The end of
// the stream is io.EOF.
func (f *Feed) Next() (contract.FeedRecord, error) {
	for f.scan.Scan() {
		line := f.scan.Bytes()
		if len(line) == 0 {
			continue // keeps the connection alive
		}
		var rec contract.FeedRecord
		if err := json.Unmarshal(line, &rec); err != nil {
			return rec, fmt.Errorf("%w: decoding feed record: %w", ErrContract, err)
		}
		if err := f.check(rec); err != nil {
			return rec, fmt.Errorf("%w: %w", ErrContract, err)
		}
		f.last, f.bytes = rec.Seq, len(line)
		return rec, nil
	}
	if err := f.scan.Err(); errors.Is(err, bufio.ErrTooLong) {
		return contract.FeedRecord{}, fmt.Errorf("%w: reading feed: %w", ErrContract, err)
	} else if err != nil {
		return contract.FeedRecord{}, fmt.Errorf("reading feed: %w", err)
	}
	return contract.FeedRecord{}, io.EOF
}

// Bytes returns how many the last record had.
func (f *Feed) Bytes() int { return f.bytes }

// Close ends the feed.
func (f *Feed) Close() { f.body.Close() }

func (f *Feed) check(rec contract.FeedRecord) error {
	if rec.FeedID != f.feedID {
		return fmt.Errorf("reading feed: a record is of another feed")
	}
	if rec.Seq != f.last+1 {
		return fmt.Errorf("reading feed: record %d follows record %d", rec.Seq, f.last)
	}
	if !api.ValidJobID(rec.JobID) {
		return fmt.Errorf("reading feed: record %d names a malformed job id", rec.Seq)
	}
	if rec.Next != "" && !contract.ValidName(rec.Next) {
		return fmt.Errorf("reading feed: record %d names a malformed step", rec.Seq)
	}
	if len(rec.Units) > maxUnits {
		return fmt.Errorf("reading feed: record %d has %d units", rec.Seq, len(rec.Units))
	}
	switch rec.Kind {
	case contract.FeedUsage:
		return nil
	case contract.FeedStarted, contract.FeedProgress, contract.FeedEnded:
	default:
		return fmt.Errorf("reading feed: record %d is of an unknown kind", rec.Seq)
	}
	switch {
	case rec.Record == nil:
		return fmt.Errorf("reading feed: record %d lacks the job's record", rec.Seq)
	case rec.Record.JobID != rec.JobID || rec.Record.ProjectID != f.client.target.ProjectID:
		return fmt.Errorf("reading feed: record %d carries the record of another job or project", rec.Seq)
	case rec.Record.Status.Terminal() != (rec.Kind == contract.FeedEnded):
		return fmt.Errorf("reading feed: record %d is %q with status %q", rec.Seq, rec.Kind, rec.Record.Status)
	}
	return nil
}
