// Command svc-sidecar is the sidecar on its own: keys, projects, ledger and
// policy for the gateways and engine proxies that ask it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/svc-games/svc/sidecar/host"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	o, err := host.ParseFlags(os.Args[1:], os.Getenv, os.Stderr)
	if err == nil {
		err = host.Run(ctx, o)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "svc-sidecar: "+err.Error())
		os.Exit(1)
	}
}
