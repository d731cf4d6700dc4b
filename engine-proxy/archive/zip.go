package archive

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/svc-games/svc/api/gamezip"
)

// countFiles returns how many files a game's ZIP holds. An error that is
// ErrRefused is about the ZIP.
func countFiles(path string) (int, error) {
	files, err := ofZIP(path, gamezip.Check)
	if errors.Is(err, gamezip.ErrUnsafe) {
		err = fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return files, err
}

// hasGame says whether an archived ZIP holds a game.
func hasGame(path string) (bool, error) { return ofZIP(path, gamezip.HasGame) }

// ofZIP asks something of a ZIP.
func ofZIP[T any](path string, ask func(zip io.ReaderAt, size int64) (T, error)) (none T, err error) {
	f, err := os.Open(path)
	if err != nil {
		return none, fmt.Errorf("opening archived files: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return none, fmt.Errorf("opening archived files: %w", err)
	}
	return ask(f, info.Size())
}
