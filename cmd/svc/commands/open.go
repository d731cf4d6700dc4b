package commands

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api/gamezip"
)

func openCommand() *cobra.Command {
	var port uint16
	c := &cobra.Command{
		Use:   "open DIR",
		Short: "Serve an unpacked game on this machine and print its address",
		Long: `Open serves the game in DIR until Ctrl-C, at an address that it prints and only this
machine can reach. A game generated into DIR meanwhile is shown at the next load.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := interruptible(c)
			defer stop()
			return openGame(ctx, c, args[0], port)
		},
	}
	c.Flags().Uint16Var(&port, "port", 0, "TCP port (default: one that is free)")
	return c
}

// openGame serves the game in a directory until ctx ends.
func openGame(ctx context.Context, c *cobra.Command, dir string, port uint16) error {
	if _, err := os.Stat(dir + "/index.html"); err != nil {
		return misused("%s holds no game: it has no index.html", dir)
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(int(port))))
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	host := listener.Addr().String()
	host = strings.TrimSuffix(host, ":80") // browsers leave it out
	server := &http.Server{Handler: gameHandler(dir, host), ReadHeaderTimeout: 10 * time.Second}
	if _, err := fmt.Fprintf(c.OutOrStdout(), "http://%s/\n", host); err != nil {
		return errors.Join(err, listener.Close())
	}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // nobody waits for what a game loads
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving %s: %w", dir, err)
	}
	return nil
}

// gameHandler serves the files of a game, whichever directory has that path by then. A
// page elsewhere that has its name lead here is refused. No link leads out of it, and the
// game reaches nothing but its own files.
func gameHandler(dir, host string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host != host {
			http.Error(w, "This is not the address that svc open printed.", http.StatusMisdirectedRequest)
			return
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			http.Error(w, "The game is gone.", http.StatusNotFound)
			return
		}
		defer root.Close()
		// It may keep what it saves: nothing else is at this address.
		w.Header().Set("Content-Security-Policy", "sandbox allow-scripts allow-forms allow-same-origin; "+gamezip.ContentPolicy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		http.FileServerFS(root.FS()).ServeHTTP(w, r)
	})
}
