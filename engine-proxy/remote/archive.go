package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/svc-games/svc/api/sse"
	engineproxy "github.com/svc-games/svc/engine-proxy"
)

// Events implements engineproxy.Archive.
func (c *Client) Events(ctx context.Context, jobID string) (sse.Log, error) {
	l := &eventLog{client: c, jobID: jobID}
	page, err := l.page(ctx, 0)
	if err != nil {
		return nil, err
	}
	l.first = page
	return l, nil
}

// eventLog is the log of an archived job, which grows no more.
type eventLog struct {
	client *Client
	jobID  string
	first  eventPage // what most readers begin with
}

// Read implements sse.Log.
func (l *eventLog) Read(after uint64) ([]sse.Record, sse.State, error) {
	page := l.first
	if after > 0 {
		var err error
		if page, err = l.page(context.Background(), after); err != nil {
			return nil, sse.State{}, err
		}
	}
	records := make([]sse.Record, len(page.Events))
	for i, e := range page.Events {
		records[i] = sse.Record{ID: e.ID, Type: e.Type, Data: e.Data}
	}
	return records, sse.State{Last: page.Last, Ended: page.Ended}, nil
}

func (l *eventLog) page(ctx context.Context, after uint64) (eventPage, error) {
	return call[eventPage](ctx, l.client.rpc, askTimeout, "events", eventsAfter{l.jobID, after})
}

// Files implements engineproxy.Archive. The ZIP is read as it is sent, from
// wherever its reader seeks to.
func (c *Client) Files(ctx context.Context, jobID string) (engineproxy.File, error) {
	info, err := call[fileInfo](ctx, c.rpc, askTimeout, "file", jobRef{jobID})
	if err != nil {
		return engineproxy.File{}, err
	}
	return engineproxy.File{
		ReadSeekCloser: &remoteFile{ctx: ctx, client: c, jobID: jobID, info: info},
		Size:           info.Size, SHA256: info.SHA256, ModTime: info.ModTime,
	}, nil
}

// remoteFile reads a file of the engine proxy's archive. A request is made
// when it is read, and left when its reader seeks elsewhere.
type remoteFile struct {
	ctx    context.Context // of the request that the file is read for
	client *Client
	jobID  string
	info   fileInfo

	offset int64
	body   io.ReadCloser // from offset on; nil before the first read there
}

func (f *remoteFile) Read(p []byte) (int, error) {
	if f.offset >= f.info.Size {
		return 0, io.EOF
	}
	if f.body == nil {
		if err := f.request(); err != nil {
			return 0, err
		}
	}
	n, err := f.body.Read(p)
	f.offset += int64(n)
	if errors.Is(err, io.EOF) && f.offset < f.info.Size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

func (f *remoteFile) request() error {
	r, err := http.NewRequestWithContext(f.ctx, http.MethodGet, "http://peer"+Path+"/files/"+f.jobID, nil)
	if err != nil {
		return fmt.Errorf("asking for files: %w", err)
	}
	r.Header.Set("Range", fmt.Sprintf("bytes=%d-", f.offset))
	r.Header.Set("If-Match", `"`+f.info.SHA256+`"`)
	res, err := f.client.peer.RoundTrip(r)
	if err != nil {
		return fmt.Errorf("%w: asking for files: %w", engineproxy.ErrUnreachable, err)
	}
	if res.StatusCode != http.StatusPartialContent {
		return errors.Join(fmt.Errorf("asking for files: status %d", res.StatusCode), res.Body.Close())
	}
	f.body = res.Body
	return nil
}

// Seek implements io.Seeker without asking anyone.
func (f *remoteFile) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += f.offset
	case io.SeekEnd:
		offset += f.info.Size
	}
	if offset < 0 {
		return 0, errors.New("seeking before the beginning of a file")
	}
	if offset != f.offset {
		if err := f.Close(); err != nil {
			return 0, err
		}
		f.offset = offset
	}
	return offset, nil
}

func (f *remoteFile) Close() error {
	if f.body == nil {
		return nil
	}
	err := f.body.Close()
	f.body = nil
	return err
}

// Interface guards
var (
	_ sse.Log           = (*eventLog)(nil)
	_ io.ReadSeekCloser = (*remoteFile)(nil)
)
