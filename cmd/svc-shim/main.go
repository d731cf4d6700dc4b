// Command svc-shim stands between the engine proxy and one engine process. The
// process driver starts it; it does nothing by itself.
package main

import "github.com/svc-games/svc/engine-proxy/driver/process/shim"

func main() { shim.Main() }
