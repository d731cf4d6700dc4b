package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/api/contract"
	"github.com/svc-games/svc/engine-proxy/internal/bounded"
)

// Checked is what Check found.
type Checked struct {
	Jobs, Snapshots int
	Bytes           int64    // of events and files that were read
	Damaged         []string // the job or snapshot and what is wrong with it
}

// Check reads all that the archive in dir keeps: of every job the record, each event in its
// order up to the one that ends it, none left out, and the ZIP against its checksum; of
// every project its snapshot. It changes nothing, and a service may work on the archive
// meanwhile. Its error is an fs.ErrNotExist where there is no archive.
func Check(ctx context.Context, dir string) (Checked, error) {
	var found Checked
	s := &Store{dir: dir}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return found, fmt.Errorf("listing archive: %w", err)
	}
	for _, e := range entries {
		if !api.ValidJobID(e.Name()) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return found, err
		}
		n, err := s.checkJob(e.Name())
		if err = s.stillThere(e.Name(), err); errors.Is(err, ErrNotFound) {
			continue
		}
		found.note("job "+e.Name(), err)
		found.Jobs++
		found.Bytes += n
	}
	return found, s.checkSnapshots(ctx, &found)
}

func (c *Checked) note(name string, err error) {
	if err != nil {
		c.Damaged = append(c.Damaged, name+": "+err.Error())
	}
}

// stillThere turns the error of a job that was deleted meanwhile into ErrNotFound.
func (s *Store) stillThere(jobID string, err error) error {
	if err == nil {
		return nil
	}
	if _, gone := os.Stat(filepath.Join(s.dir, jobID)); errors.Is(gone, fs.ErrNotExist) {
		return ErrNotFound
	}
	return err
}

// checkJob reads one job, and returns how many bytes its events and files have.
func (s *Store) checkJob(jobID string) (int64, error) {
	rec, err := s.Record(jobID)
	if errors.Is(err, ErrNotFound) {
		return 0, errors.New("its record is missing")
	}
	if err != nil {
		return 0, err
	}
	if rec.JobID != jobID || !rec.Status.Terminal() {
		return 0, errors.New("its record is not that of this ended job")
	}
	events, err := checkEvents(filepath.Join(s.dir, jobID, eventsFile), rec)
	if err != nil || rec.Files == nil {
		return events, err
	}
	path := filepath.Join(s.dir, jobID, filesFile)
	bytes, sum, err := sumOf(path)
	if err != nil {
		return events, err
	}
	if bytes != rec.Files.Bytes || sum != rec.Files.SHA256 {
		return events, errors.New("its files do not have the record's checksum")
	}
	count, err := countFiles(path)
	if err == nil && count != rec.Files.Count {
		err = fmt.Errorf("the record says %d files, the ZIP has %d", rec.Files.Count, count)
	}
	return events + bytes, err
}

func checkEvents(path string, rec contract.JobRecord) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, fmt.Errorf("opening archived events: %w", err)
	}
	defer f.Close()
	var bytes int64
	var lines, missing uint64
	chain := eventChain{rec: rec}
	scan := bounded.Lines(f, 2*api.MaxEventData)
	for scan.Scan() {
		bytes += int64(len(scan.Bytes())) + 1
		if err := chain.add(scan.Bytes()); err != nil {
			return bytes, err
		}
		if lines++; chain.last.Seq != lines && missing == 0 {
			missing = lines
		}
	}
	if err := scan.Err(); err != nil {
		return bytes, fmt.Errorf("reading archived events: %w", err)
	}
	if err := chain.end(); err != nil {
		return bytes, err
	}
	if missing > 0 && lines > 1 { // PutEnd keeps the last event alone
		return bytes, fmt.Errorf("event %d is missing", missing)
	}
	return bytes, nil
}

// checkSnapshots reads the snapshot of every project.
func (s *Store) checkSnapshots(ctx context.Context, found *Checked) error {
	entries, err := os.ReadDir(filepath.Join(s.dir, snapshotsDir))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("listing snapshots: %w", err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		projectID := strings.TrimSuffix(e.Name(), ".zip")
		if !api.ValidProjectID(projectID) {
			continue
		}
		_, err := countFiles(s.snapshot(projectID))
		if errors.Is(err, fs.ErrNotExist) {
			continue // the project was deleted meanwhile
		}
		found.note("snapshot of project "+projectID, err)
		found.Snapshots++
	}
	return nil
}

// sumOf reads a file.
func sumOf(path string) (bytes int64, sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, "", fmt.Errorf("opening archived files: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if bytes, err = io.Copy(h, f); err != nil {
		return bytes, "", fmt.Errorf("reading archived files: %w", err)
	}
	return bytes, hex.EncodeToString(h.Sum(nil)), nil
}
