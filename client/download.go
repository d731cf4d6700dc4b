package client

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"

	"github.com/svc-games/svc/api"
)

// Download writes the ZIP of an ended job to the file at path, which it
// replaces. The bytes go to path+".part" first and are compared with the
// job's record, so that path never holds half a download. ErrNoFiles says that
// the job is not completed or failed, ErrCorrupt that the bytes are not those
// of the record.
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

// fetch streams the ZIP into the file at path and returns its SHA-256.
func (c *Client) fetch(ctx context.Context, job Job, path string) (sum string, err error) {
	var resp *http.Response
	err = c.patient(ctx, func() (err error) {
		resp, err = c.send(ctx, http.MethodGet, job.path("files"), http.Header{"Accept": {"application/zip"}}, nil)
		return err
	})
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(file, hash), resp.Body); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), file.Sync()
}
