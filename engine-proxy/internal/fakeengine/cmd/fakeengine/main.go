// Command fakeengine is package fakeengine as a program, and the shim that
// engines run under.
package main

import (
	"github.com/svc-games/svc/engine-proxy/internal/fakeengine"
	"github.com/svc-games/svc/engine-proxy/process/shim"
)

func main() {
	shim.MainIfAsked()
	fakeengine.Main()
}
