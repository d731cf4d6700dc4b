package sim

import (
	"bytes"
	"context"
	"fmt"

	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/compile"
	"github.com/svc-games/svc/engine/gen/kit"
)

// importPlayer is the statement that makes player what plays a game: its own
// player, for want of it what a mechanic of former games says itself, else the kit's.
func importPlayer(mechanic string, read func(name string) ([]byte, error)) string {
	if _, err := read(compile.PlayerFile); err == nil {
		return fmt.Sprintf("import * as player from './%s';", compile.PlayerFile)
	}
	if code, err := read("mechanics/" + mechanic + ".js"); err == nil && bytes.Contains(code, []byte("export function view(")) {
		return "const player = { act: (s) => mechanic.view(s).act };"
	}
	return fmt.Sprintf("import * as player from './%s';", compile.Player(mechanic))
}

// Player returns the script of the kit's player of a mechanic: it sets
// __svc_acts, whose act(state) says what an attentive player does.
func Player(ctx context.Context, mechanic string) (string, error) {
	entry := compile.Player(mechanic)
	out, err := build.Bundle(ctx, build.Options{Read: kit.Source, Entry: entry, GlobalName: "__svc_acts", Target: build.Game})
	if err != nil {
		return "", fmt.Errorf("bundling the player of %s: %w", mechanic, err)
	}
	return string(out.Script), nil
}
