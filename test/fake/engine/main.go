package fakeengine

import (
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/svc-games/svc/test/fake/engine/orders"
)

// stuckVariable makes the work of submitted jobs last until their time is up,
// which is so much later.
const stuckVariable = "SVC_FAKE_ENGINE_STUCK"

// options are the command line of an engine.
type options struct {
	Config
	tokenFile, socket, listen string
	certFile, keyFile, caFile string
	replays                   bool
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("fakeengine", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for name, into := range map[string]*string{
		"project": &o.ProjectID, "instance": &o.InstanceID, "volume": &o.Volume, "egress": &o.Egress,
		"token-file": &o.tokenFile, "socket": &o.socket, "listen": &o.listen,
		"tls-cert": &o.certFile, "tls-key": &o.keyFile, "tls-ca": &o.caFile,
		"frameworks": new(string), "volume-bytes": new(string), // which it has no use for
	} {
		flags.StringVar(into, name, "", "")
	}
	flags.BoolVar(&o.replays, "replays", false, "")
	return o, flags.Parse(args)
}

// Main runs the fake engine and ends the process. More is what it can try beside the
// probes of package orders.
func Main(more map[string]func(arg string) error) {
	orders.MainIfChild()
	if err := run(more); err != nil {
		fmt.Fprintln(os.Stderr, "fake engine:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func run(more map[string]func(arg string) error) error {
	opts, err := parse(os.Args[1:])
	if err != nil {
		return err
	}
	if opts.replays {
		return opts.playAgain()
	}
	if err := orders.Hold(opts.Volume); err != nil {
		return fmt.Errorf("locking volume: %w", err)
	}
	given, err := orders.ReadOrders(opts.Volume)
	if errors.Is(err, fs.ErrNotExist) {
		return opts.keepContract()
	}
	if err != nil {
		return fmt.Errorf("reading orders: %w", err)
	}
	l, err := listen(opts.socket, opts.listen)
	if err != nil {
		return err
	}
	e := orders.Engine{Volume: opts.Volume, InstanceID: opts.InstanceID, TokenFile: opts.tokenFile, More: more}
	return e.Obey(given, l)
}

// playAgain serves as an engine without a volume until the process is asked to end.
func (o options) playAgain() error {
	token, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return err
	}
	l, err := listen(o.socket, o.listen)
	if err != nil {
		return err
	}
	return http.Serve(l, Replays(o.ProjectID, o.InstanceID, string(token)))
}

// keepContract serves until the process is asked to end.
func (o options) keepContract() error {
	token, err := os.ReadFile(o.tokenFile)
	if err != nil {
		return err
	}
	if o.Token = string(token); o.Token == "" || o.ProjectID == "" {
		return errors.New("a token and a project are needed")
	}
	if text := os.Getenv(stuckVariable); text != "" {
		if o.Stuck, err = time.ParseDuration(text); err != nil {
			return err
		}
	}
	var server *tls.Config
	if o.listen != "" {
		if o.Secrets, err = ReadSecrets(o.certFile, o.keyFile, o.caFile); err != nil {
			return err
		}
		if server, err = o.Secrets.Server(); err != nil {
			return err
		}
	}
	o.Exit = os.Exit
	e, err := Open(o.Config)
	if err != nil {
		return err
	}
	l, err := listen(o.socket, o.listen)
	if err != nil {
		return err
	}
	if server != nil {
		l = tls.NewListener(l, server)
	}
	term := make(chan os.Signal, 1)
	signal.Notify(term, syscall.SIGTERM)
	go func() {
		for range term {
			if e.Terminates() {
				l.Close()
				os.Exit(0)
			}
		}
	}()
	err = (&http.Server{Handler: e, ErrorLog: log.New(io.Discard, "", 0)}).Serve(l) // its errors are of clients that are not let in
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

// listen listens at a socket, or at a port.
func listen(socket, port string) (net.Listener, error) {
	if port != "" {
		return net.Listen("tcp", port)
	}
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("removing old socket: %w", err)
	}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	return l, os.Chmod(socket, 0o660)
}
