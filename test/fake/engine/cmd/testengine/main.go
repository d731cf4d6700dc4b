// Command testengine is the engine of the drivers' suite.
package main

import "github.com/svc-games/svc/test/fake/engine/orders"

func main() { orders.Main(nil) }
