// Command svc-engine is the reference engine: it runs the generation jobs of
// one project behind a Unix socket, or behind a port with mutual TLS. The engine proxy starts it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/svc-games/svc/engine"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/gen/sim"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == engine.Simulate {
		sim.Main()
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "svc-engine: "+err.Error())
		os.Exit(1)
	}
}

// gcPercent lets the heap grow to four times what lives in it before it is
// collected: a job takes a quarter less of a processor for some 40 MiB.
const gcPercent = 300

func run(ctx context.Context, args []string) error {
	debug.SetGCPercent(gcPercent)
	opts, err := engine.ParseOptions(args, os.Getenv, os.Stderr)
	if err != nil {
		return err
	}
	cfg, err := opts.Config()
	if err != nil {
		return err
	}
	generator, err := opts.Generator()
	if err != nil {
		return err
	}
	if opts.Replays {
		return engine.ServeReplays(ctx, cfg, sim.Apart(generator.Simulator))
	}
	if cfg.Generator, err = gen.New(generator); err != nil {
		return fmt.Errorf("loading generator: %w", err)
	}
	if opts.Stuck > 0 {
		cfg.Generator = gen.Stuck{}
	}
	return engine.Serve(ctx, cfg)
}
