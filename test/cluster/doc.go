// Package cluster tests what takes several parts of the service, most of them
// processes of their own: sidecars on one store, reservations whose gateway or
// engine is gone, stores in trouble, balances that run out.
package cluster
