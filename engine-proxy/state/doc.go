// Package state is the data directory of the engine proxy: its layout, lock and
// name, and the journal and token of each project's engine.
package state
