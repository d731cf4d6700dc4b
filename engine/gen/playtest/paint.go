package playtest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"

	"github.com/svc-games/svc/engine/gen/brief"
	"github.com/svc-games/svc/engine/gen/build"
	"github.com/svc-games/svc/engine/gen/kit"
)

// paintScript has the painters of the kit.
var paintScript = sync.OnceValues(func() (string, error) {
	out, err := build.Bundle(context.Background(), build.Options{Entry: "paint.js", Read: func(name string) ([]byte, error) {
		if strings.HasPrefix(name, "art/") {
			return kit.Source(name)
		}
		return pageFiles.ReadFile(path.Join("page", name))
	}})
	if err != nil {
		return "", fmt.Errorf("bundling the painters: %w", err)
	}
	return string(out.Script), nil
})

// paintedSide is how high and wide a painted figure is, in pixels.
const paintedSide = 320

// Paint draws a figure of the kit as a PNG.
func (b *Browser) Paint(ctx context.Context, figure brief.Drawn) ([]byte, error) {
	script, err := paintScript()
	if err != nil {
		return nil, err
	}
	order, err := json.Marshal(figure)
	if err != nil {
		return nil, fmt.Errorf("encoding a figure: %w", err)
	}
	tab, closeTab := chromedp.NewContext(b.ctx)
	defer context.AfterFunc(ctx, closeTab)()
	defer closeTab()
	timed, cancel := context.WithTimeout(tab, bootTime)
	defer cancel()
	if err := chromedp.Do(timed, chromedp.Navigate("about:blank")); err != nil {
		return nil, err
	}
	url, err := chromedp.Run(timed, chromedp.Evaluate[string](fmt.Sprintf("%s;\nwindow.__paint(%s, %d)", script, order, paintedSide)))
	if err != nil {
		return nil, fmt.Errorf("painting a figure: %w", err)
	}
	png, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(url, "data:image/png;base64,"))
	if err != nil {
		return nil, fmt.Errorf("reading a figure: %w", err)
	}
	return png, nil
}
