package pack

import (
	"archive/zip"
	"fmt"
	"io"

	"github.com/svc-games/svc/api/gamezip"
)

// Read returns the files of a ZIP that Zip wrote, no more than a game may have.
func Read(name string) (map[string][]byte, error) {
	archive, err := zip.OpenReader(name)
	if err != nil {
		return nil, fmt.Errorf("opening ZIP: %w", err)
	}
	defer archive.Close()
	if err := gamezip.CheckNames(archive.File); err != nil {
		return nil, err
	}
	files, left := map[string][]byte{}, int64(gamezip.MaxBytes)
	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("reading ZIP: %w", err)
		}
		data, err := io.ReadAll(io.LimitReader(r, left+1))
		if err != nil {
			return nil, fmt.Errorf("reading ZIP: %w", err)
		}
		if left -= int64(len(data)); left < 0 {
			return nil, errTooLarge
		}
		files[f.Name] = data
	}
	return files, nil
}
