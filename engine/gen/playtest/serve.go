package playtest

import (
	"iter"
	"net/url"
	"path"
	"strings"

	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// origin is where a game believes itself to be. Nothing listens there: every
// request is answered here, from memory.
const origin = "http://game.invalid/"

// policy is the page's content security policy: its own files and nothing
// else, and no other page, which would take its place on the screen and leave it
// without frames. A form is for the page's scripts, and is sent nowhere. Generated
// code is hostile.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"media-src 'self' data: blob:; connect-src 'none'; worker-src 'none'; base-uri 'none'; form-action 'none'; sandbox allow-scripts allow-forms allow-same-origin"

// sandboxRemark is what Chromium says of that policy. A game is not in a frame of
// ours, so there is nothing to escape to.
const sandboxRemark = "An iframe which has both allow-scripts and allow-same-origin for its sandbox attribute can escape its sandboxing."

// answer serves the page's requests until its tab is gone. A request for anything
// else than the game's files is refused, and noted as if the console had said so.
func (p *Page) answer(files map[string][]byte, requests iter.Seq2[fetch.EventRequestPaused, error]) {
	for r, err := range requests {
		if err != nil {
			return
		}
		if data, ok := lookup(files, r.Request.URL); ok {
			_, err = chromedp.Call(p.ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{
				RequestID: r.RequestID, ResponseCode: 200, Body: data, ResponseHeaders: headers(r.Request.URL),
			})
		} else {
			p.note(&p.said, maxSaid, "error: a request for "+r.Request.URL)
			_, err = chromedp.Call(p.ctx, fetch.FailRequest, fetch.FailRequestParams{RequestID: r.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
		}
		if err != nil {
			return
		}
	}
}

func lookup(files map[string][]byte, address string) ([]byte, bool) {
	name, ok := strings.CutPrefix(address, origin)
	if !ok {
		return nil, false
	}
	name, err := url.PathUnescape(name)
	if err != nil {
		return nil, false
	}
	data, ok := files[name]
	return data, ok
}

func headers(address string) []*fetch.HeaderEntry {
	kind, ok := kinds[path.Ext(address)]
	if !ok {
		kind = "application/octet-stream"
	}
	return []*fetch.HeaderEntry{
		{Name: "Content-Type", Value: kind},
		{Name: "Content-Security-Policy", Value: policy},
		{Name: "X-Content-Type-Options", Value: "nosniff"},
	}
}

// kinds are the media types of what a page loads.
var kinds = map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
