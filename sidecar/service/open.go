package service

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/svc-games/svc/sidecar/store"
)

// CheckStore returns what is wrong with an address for Options.Store, without
// opening it.
func CheckStore(address string) error {
	if address == "" || address == "sqlite" || store.IsPostgresURL(address) {
		return nil
	}
	// The address is not repeated: it may be a URL with a password after all.
	return errors.New(`the store's address is not known: want "sqlite" or a postgres:// URL in SVC_STORE`)
}

// openStore opens the store that Options.Store names.
func openStore(ctx context.Context, address, dir string) (*store.Store, error) {
	if err := CheckStore(address); err != nil {
		return nil, fmt.Errorf("opening the store: %w", err)
	}
	if store.IsPostgresURL(address) {
		return openServer(ctx, address)
	}
	return openFile(ctx, dir)
}

func openFile(ctx context.Context, dir string) (*store.Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the data directory: %w: name a directory that can be written to in SVC_DATA_DIR", err)
	}
	s, err := store.OpenSQLite(ctx, filepath.Join(dir, store.SQLiteFile))
	switch {
	case err == nil:
		return s, nil
	case errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrMoved):
		return nil, err
	case errors.Is(err, store.ErrInUse):
		return nil, fmt.Errorf("%w: svc admin migrate moves it: set SVC_STORE once that has ended", err)
	case errors.Is(err, os.ErrPermission):
		return nil, fmt.Errorf("%w: make the data directory writable for the user that runs svc, or name another in SVC_DATA_DIR", err)
	}
	return nil, fmt.Errorf("%w: if the file is damaged, restore it from a backup, or move it away to start empty", err)
}

func openServer(ctx context.Context, url string) (*store.Store, error) {
	s, err := store.OpenPostgres(ctx, url)
	switch {
	case err == nil:
		return s, nil
	case errors.Is(err, store.ErrNewer), errors.Is(err, store.ErrPostgresURL):
		return nil, err
	}
	return nil, fmt.Errorf("%w: see that the server runs, and that the user of SVC_STORE may connect and make tables", err)
}
