package analytics

import "github.com/svc-games/svc/sidecar/store"

// Store is what the log keeps all in.
func (l *Log) Store() *store.Store { return l.store }

// Bounds of what is free.
const (
	MaxFree     = maxFree
	MaxDeclared = maxDeclared
)
