// Command hostile is an engine that was taken over: it tries what its volume
// orders it to.
package main

import (
	"github.com/svc-games/svc/test/attack/hostile"
	fakeengine "github.com/svc-games/svc/test/fake/engine"
)

func main() { fakeengine.Main(hostile.Orders()) }
