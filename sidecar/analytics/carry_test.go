package analytics_test

import (
	"path/filepath"
	"testing"

	"github.com/svc-games/svc/sidecar/analytics"
)

func TestMeterThatIsCarriedOverGoesOnWhereItWas(t *testing.T) {
	onEach(t, func(t *testing.T, b *bench) {
		from := filepath.Join(t.TempDir(), analytics.File)
		carry := func() {
			t.Helper()
			if err := analytics.CarryMeters(t.Context(), from, b.address); err != nil {
				t.Fatal(err)
			}
			b.wantMeters()
		}
		carry() // there is none
		old := &bench{t: t, now: b.now, address: from, seller: b.seller}
		old.open()
		for stream := range 15 {
			old.record(custom(stream, 1, 100))
		}
		old.close()
		carry()
		for stream := range 6 {
			b.record(custom(20+stream, 1, 100))
		}
		if blocks := b.seller.blocks()[game]; blocks != 3 {
			t.Errorf("%d blocks are paid for 2,100 events", blocks)
		}
		carry() // once more
		if b.record(custom(30, 1, 100)); b.seller.blocks()[game] != 3 {
			t.Errorf("%d blocks are paid for 2,200 events", b.seller.blocks()[game])
		}
		b.wantMeters()
	})
}
