// Command fakeengine is package fakeengine as a program, and the shim that
// engines run under.
package main

import (
	"github.com/svc-games/svc/engine-proxy/driver/process/shim"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

func main() {
	shim.MainIfAsked()
	fakeengine.Main(nil)
}
