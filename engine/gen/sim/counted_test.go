package sim

import (
	"slices"
	"testing"

	"github.com/svc-games/svc/engine/gen/catalog"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
	"github.com/svc-games/svc/engine/gen/spec"
	"github.com/svc-games/svc/test/long"
)

func TestLoopsThatCountPlayTheSame(t *testing.T) {
	for _, mechanic := range kit.Mechanics() {
		if !slices.Contains([]string{"snake", "shooter", "defence"}, mechanic) && !long.Asked() {
			continue
		}
		s := spec.Spec{Mechanic: mechanic, Format: spec.Platform}
		plain, err := bundle(t.Context(), s, ours(compile.Field(s)), asIs)
		if err != nil {
			t.Fatal(err)
		}
		quick, err := Load(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		play := catalog.Usual(mechanic, spec.Platform)
		want, errPlain := plain.Play(t.Context(), play, 9, Skilled, 15)
		got, errQuick := quick.Play(t.Context(), play, 9, Skilled, 15)
		if got != want || errPlain != nil || errQuick != nil {
			t.Errorf("%s: %+v and %+v (%v, %v)", mechanic, want, got, errPlain, errQuick)
		}
	}
}
