package engineclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/svc-games/svc/api/contract"
)

// Replay has an engine without a volume play runs of a game, whose ZIP it gets, again. It
// says what each came to, in their order.
func (c *Client) Replay(ctx context.Context, runs []contract.Replay, zip io.Reader) ([]contract.ReplayEnding, error) {
	line, err := json.Marshal(runs)
	if err != nil {
		return nil, fmt.Errorf("encoding request to the engine: %w", err)
	}
	res, err := c.send(ctx, http.MethodPost, contract.PathReplay, "application/octet-stream", io.MultiReader(bytes.NewReader(append(line, '\n')), zip))
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	var out contract.Replayed
	if err := decode(res, contract.PathReplay, &out, maxBody); err != nil {
		return nil, err
	}
	if len(out.Endings) != len(runs) {
		return nil, fmt.Errorf("%w: it says what %d runs came to, of %d", ErrContract, len(out.Endings), len(runs))
	}
	for i, run := range runs {
		if e := out.Endings[i]; e.Stream != run.Stream || e.Run != run.Run {
			return nil, fmt.Errorf("%w: it says what other runs came to", ErrContract)
		}
	}
	return out.Endings, nil
}
