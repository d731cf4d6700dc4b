// Command hostile is an engine that was taken over: it tries what its volume
// orders it to.
package main

import (
	"github.com/svc-games/svc/engine-proxy/driver/drivertest/testengine"
	"github.com/svc-games/svc/test/attack/hostile"
)

func main() { testengine.Main(hostile.Orders()) }
