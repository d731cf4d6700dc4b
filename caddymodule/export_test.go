package caddymodule

import "github.com/svc-games/svc/block"

// AppOptions are the app's own, which nobody reads.
func AppOptions() block.Options { return new(App).options(nil, nil) }
