package host

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar/admin"
	"github.com/svc-games/svc/sidecar/store"
)

// check says what would keep the sidecar from serving, as far as that can be known before
// anything is written: listeners that it can't have, and a store that is a later svc's or
// was moved. A socket that was taken over could not be given back.
func (o *Options) check(ctx context.Context) error {
	for _, l := range []struct {
		at           *peer.Address
		names        []string
		socket, what string
	}{
		{o.Admin, o.AdminNames, admin.SocketFile, "the admin socket"},
		{o.OPA, o.opaNames(), OPASocket, "the socket of OPA's API"},
		{o.Listen, o.Names, Socket, "the sidecar's socket"},
	} {
		if l.at == nil {
			continue
		}
		if err := o.listener(*l.at, l.names, l.socket, l.what, nil).Check(); err != nil {
			return fmt.Errorf("opening %s: %w", l.what, err)
		}
	}
	address := o.Store
	if !store.IsPostgresURL(address) {
		address = filepath.Join(o.DataDir, store.SQLiteFile)
	}
	// What else is wrong with it, opening it says.
	if err := store.ReadOnly(ctx, address, func(*store.Reader) error { return nil }); errors.Is(err, store.ErrNewer) || errors.Is(err, store.ErrMoved) {
		return fmt.Errorf("opening the sidecar: %w", err)
	}
	return nil
}
