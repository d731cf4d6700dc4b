package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/svc-games/svc/api"
)

// Download writes the ZIP of an ended job to the file at path, which it
// replaces. The bytes go to path+".part" first, where a broken connection is
// taken up, and are compared with the job's record, so that path never holds
// half a download. ErrNoFiles says that the job is not completed or failed,
// ErrCorrupt that the bytes are not those of the record.
func (c *Client) Download(ctx context.Context, job Job, path string) (api.Files, error) {
	record, err := c.Status(ctx, job)
	if err != nil {
		return api.Files{}, err
	}
	if record.Files == nil {
		return api.Files{}, fmt.Errorf("downloading files of a job that is %s: %w", record.Status, ErrNoFiles)
	}
	if job.ProjectID == "" {
		job.ProjectID = record.ProjectID
	}
	part := path + ".part"
	sum, err := c.fetch(ctx, job, part)
	if err == nil && sum != record.Files.SHA256 {
		err = fmt.Errorf("%w: its SHA-256 is %s, not %s", ErrCorrupt, sum, record.Files.SHA256)
	}
	if err == nil {
		err = os.Rename(part, path)
	}
	if err != nil {
		if removed := os.Remove(part); !errors.Is(removed, fs.ErrNotExist) {
			err = errors.Join(err, removed)
		}
		return api.Files{}, fmt.Errorf("downloading files: %w", err)
	}
	return *record.Files, nil
}

// fetch writes the ZIP into the file at path and returns its SHA-256. Where the connection breaks
// it goes on from there, for as long as each minute brings more.
func (c *Client) fetch(ctx context.Context, job Job, path string) (sum string, err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	delay := func(err error, attempt int) (time.Duration, bool) {
		if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
			return 0, false // the disk is full, say
		}
		return c.readDelay(err, attempt)
	}
	z := partial{File: file, hash: sha256.New()}
	var most int64
	for whole := false; !whole; {
		err := c.again(ctx, min(callBudget, c.opts.RetryBudget), delay, func() error {
			err := c.goOn(ctx, job, &z)
			if whole = err == nil; whole || z.size <= most || c.opts.RetryBudget < 0 {
				return err
			}
			most = z.size
			return c.opts.Sleep(ctx, firstBackoff)
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(z.hash.Sum(nil)), file.Sync()
}

// partial is the file of a download with what has come of it.
type partial struct {
	*os.File
	hash hash.Hash
	size int64
	etag string // of the whole, as an answer said
}

// goOn asks for what is missing, and writes what comes.
func (c *Client) goOn(ctx context.Context, job Job, z *partial) error {
	header := http.Header{"Accept": {"application/zip"}}
	if z.size > 0 && z.etag != "" {
		header.Set("Range", fmt.Sprintf("bytes=%d-", z.size))
		header.Set("If-Range", z.etag)
	}
	resp, err := c.send(ctx, http.MethodGet, job.path("files"), header, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusPartialContent { // all of it comes again
		z.size = 0
		z.hash.Reset()
		if _, err := z.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := z.Truncate(0); err != nil {
			return err
		}
	}
	z.etag = resp.Header.Get("ETag")
	n, err := io.Copy(io.MultiWriter(z.File, z.hash), resp.Body)
	z.size += n
	return err
}
