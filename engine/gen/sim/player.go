package sim

import (
	"context"
	"fmt"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
)

// importPlayer is the statement that makes player the kit's player of a mechanic,
// or one without act.
func importPlayer(mechanic string) string {
	entry := compile.Player(mechanic)
	if !kit.Has(entry) {
		return "const player = {};"
	}
	return fmt.Sprintf("import * as player from './%s';", entry)
}

// Player returns the script of the kit's player of a mechanic: it sets
// __svc_acts, whose act(state) says what an attentive player does. "" is returned
// for a mechanic that says so itself.
func Player(ctx context.Context, mechanic string) (string, error) {
	entry := compile.Player(mechanic)
	if !kit.Has(entry) {
		return "", nil
	}
	out, err := build.Bundle(ctx, build.Options{Read: kit.Source, Entry: entry, GlobalName: "__svc_acts", Target: build.Game})
	if err != nil {
		return "", fmt.Errorf("bundling the player of %s: %w", mechanic, err)
	}
	return string(out.Script), nil
}
