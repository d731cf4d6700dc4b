package sim

import (
	"bytes"
	"fmt"

	"github.com/svc-games/svc/engine/gen/compile"
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
