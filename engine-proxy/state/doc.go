// Package state is the data folder of the engine proxy: its layout, lock and
// name, and the journal and token of each project's engine.
package state
