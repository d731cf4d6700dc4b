// Command testengine is the engine of the drivers' suite.
package main

import "github.com/svc-games/svc/engine-proxy/driver/drivertest/testengine"

func main() { testengine.Main(nil) }
