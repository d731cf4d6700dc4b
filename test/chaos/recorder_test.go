package chaos

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"time"

	"github.com/svc-games/svc/api/play"
	"github.com/svc-games/svc/sidecar/analytics"
	"github.com/svc-games/svc/sidecar/store"
)

const (
	// ofStream is how many events a page sends, all in one batch: eleven make a block
	// and need the next one.
	ofStream = 90
	// playPace is how often each player of a recorder begins a page.
	playPace = 15 * time.Millisecond
)

// playsOf is where what is played is kept, beside a ledger: a file of its own, or the
// same database.
func playsOf(address string) string {
	if store.IsPostgresURL(address) {
		return address
	}
	return filepath.Join(filepath.Dir(address), analytics.File)
}

// recorder is a process that keeps events of players, as a sidecar does.
type recorder struct {
	*worker
	log *analytics.Log
}

// BuyBlock implements analytics.Seller with the ledger, and points before and after.
func (r *recorder) BuyBlock(ctx context.Context, game string, n int64) (bool, error) {
	r.pass("before block")
	paid, err := r.ledger.BuyBlock(ctx, game, n)
	if paid {
		r.pass("block paid")
	}
	return paid, err
}

// record has players send pages until one fails.
func (w *worker) record(ctx context.Context) (err error) {
	r := &recorder{worker: w}
	if r.log, err = analytics.Open(ctx, playsOf(w.Store), r, time.Now); err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make(chan error, clients)
	for range clients {
		wg.Go(func() {
			for range time.Tick(playPace) {
				if err := r.page(ctx); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	return <-errs
}

// page sends what one page of a game says, and says before which it is, and after that
// it was acknowledged. Now and then it sends all of it again.
func (r *recorder) page(ctx context.Context) error {
	game := r.Projects[rand.IntN(len(r.Projects))]
	stream := fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
	for range 1 + rand.IntN(2) {
		fmt.Println("sent", game, stream)
		r.pass("before record")
		answer, err := r.log.Record(ctx, pageOf(game, stream))
		if errors.Is(err, context.DeadlineExceeded) {
			return nil // the store was too slow: a 503, and the page would send it again
		}
		if err != nil {
			return err
		}
		if answer.Ack != ofStream {
			return fmt.Errorf("stream %s is acknowledged up to %d of %d", stream, answer.Ack, ofStream)
		}
		r.pass("recorded")
		fmt.Println("kept", game, stream)
	}
	return nil
}

// pageOf is what a page of a stream's id sends, each time the same. Its player plays but
// once, so that no bound of players is met.
func pageOf(game, stream string) analytics.Arrival {
	b := play.Batch{Game: game, Stream: stream, Player: stream, Sent: 1000 * ofStream}
	for seq := range int64(ofStream) {
		b.Events = append(b.Events, play.Event{Seq: seq + 1, At: 1000 * seq, Name: "jump", Props: json.RawMessage(`{}`)})
	}
	return analytics.Arrival{Batch: b, Class: analytics.ClassPublic}
}
