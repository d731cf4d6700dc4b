// Package cli reads the command lines of programs that are peers: every option
// is a flag, and most are an environment variable as well, which the flag
// overrides.
package cli

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/peer"
)

// Flags are the options of one program.
type Flags struct {
	flags  *flag.FlagSet
	getenv func(string) string
	errs   []error // of environment variables
}

// New returns flags without options.
func New(program string, getenv func(string) string) *Flags {
	flags := flag.NewFlagSet(program, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are the caller's to report
	return &Flags{flags: flags, getenv: getenv}
}

// String adds an option. variable may be "".
func (f *Flags) String(dst *string, name, variable, standard, usage string) {
	f.flags.StringVar(dst, name, f.standard(variable, standard), f.usage(usage, variable))
}

// Bool adds an option that is off where it is not given.
func (f *Flags) Bool(dst *bool, name, variable, usage string) {
	standard, err := strconv.ParseBool(f.standard(variable, "false"))
	if err != nil {
		f.errs = append(f.errs, fmt.Errorf("%s must be true or false, is %q", variable, f.getenv(variable)))
	}
	f.flags.BoolVar(dst, name, standard, f.usage(usage, variable))
}

// Duration adds an option of zero or more.
func (f *Flags) Duration(dst *time.Duration, name, variable string, standard time.Duration, usage string) {
	value, err := time.ParseDuration(f.standard(variable, standard.String()))
	if err != nil || value < 0 {
		f.errs = append(f.errs, fmt.Errorf("%s must be a duration like 50ms, is %q", variable, f.getenv(variable)))
	}
	f.flags.DurationVar(dst, name, value, f.usage(usage, variable))
}

// Number adds an option that is a number of at least 1, or 0 where it is not
// given.
func (f *Flags) Number(dst *int, name, variable, usage string) {
	f.read(name, variable, usage, func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("must be a number of at least 1, is %q", text)
		}
		*dst = n
		return nil
	})
}

// Size adds an option that is a number of bytes, with or without a unit, or 0 where it
// is not given.
func (f *Flags) Size(dst *int64, name, variable, usage string) {
	f.read(name, variable, usage, func(text string) error {
		n, err := humanize.ParseBytes(text)
		if err != nil || n < 1 || n >= 1<<50 {
			return fmt.Errorf("must be a size like 50GiB, is %q", text)
		}
		*dst = int64(n)
		return nil
	})
}

// Address adds the option of a listener. "off" means none: *dst stays nil.
func (f *Flags) Address(dst **peer.Address, name, variable, usage string) {
	f.read(name, variable, usage, func(text string) error {
		if text == "off" {
			*dst = nil
			return nil
		}
		address, err := peer.ParseAddress(text)
		if err != nil {
			return err
		}
		*dst = &address
		return nil
	})
}

// Listeners adds the options of mutual TLS for listeners on TCP.
func (f *Flags) Listeners(t *peer.TLS, names *[]string) {
	f.TLS(t)
	f.List(names, "tls-names", "SVC_TLS_NAMES", "`names` that a client's certificate may bear, separated by commas")
}

// List adds an option of texts with commas between them.
func (f *Flags) List(dst *[]string, name, variable, usage string) {
	f.read(name, variable, usage, func(text string) error {
		*dst = nil
		for each := range strings.SplitSeq(text, ",") {
			if each = strings.TrimSpace(each); each != "" {
				*dst = append(*dst, each)
			}
		}
		return nil
	})
}

// read adds an option that set reads: first from the variable, if that is not empty.
func (f *Flags) read(name, variable, usage string, set func(text string) error) {
	if text := f.standard(variable, ""); text != "" {
		if err := set(text); err != nil {
			f.errs = append(f.errs, fmt.Errorf("%s: %w", variable, err))
		}
	}
	f.flags.Func(name, f.usage(usage, variable), set)
}

// CheckListener refuses the address of a listener that needs mutual TLS while
// an option of it is missing. option names the address, namesOption the one of names.
func CheckListener(option string, at *peer.Address, t peer.TLS, namesOption string, names []string) error {
	if at == nil || at.Network != "tcp" {
		return nil
	}
	var missing []string
	for name, given := range map[string]bool{
		"--tls-cert": t.Cert != "", "--tls-key": t.Key != "", "--tls-ca": t.CA != "", namesOption: len(names) > 0,
	} {
		if !given {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("%s %s needs mutual TLS: give %s too", option, at, strings.Join(missing, ", "))
}

// TLS adds the options of one end of mutual TLS.
func (f *Flags) TLS(t *peer.TLS) {
	f.String(&t.Cert, "tls-cert", "SVC_TLS_CERT", "", "`file` of the certificate (PEM); host:port needs it")
	f.String(&t.Key, "tls-key", "SVC_TLS_KEY", "", "`file` of the certificate's key")
	f.String(&t.CA, "tls-ca", "SVC_TLS_CA", "", "`file` of the authority of the other end's certificate")
}

func (f *Flags) standard(variable, standard string) string {
	if variable == "" {
		return standard
	}
	return cmp.Or(f.getenv(variable), standard)
}

func (f *Flags) usage(usage, variable string) string {
	if variable == "" {
		return usage
	}
	return usage + " [$" + variable + "]"
}

// Parse reads the command line. When args ask for help or the version, that is written
// to stderr, and the error is flag.ErrHelp.
func (f *Flags) Parse(args []string, stderr io.Writer) error {
	asked := f.flags.Bool("version", false, "say from which source this program was built")
	err := f.flags.Parse(args)
	if err == nil && *asked {
		fmt.Fprintf(stderr, "%s %s\n", f.flags.Name(), Version())
		return flag.ErrHelp
	}
	if errors.Is(err, flag.ErrHelp) {
		f.flags.SetOutput(stderr)
		fmt.Fprintf(stderr, "usage: %s [options]; an option overrides its environment variable\n\n", f.flags.Name())
		f.flags.PrintDefaults()
		return err
	}
	if err == nil && f.flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", f.flags.Arg(0))
	}
	if err = errors.Join(append(f.errs, err)...); err != nil {
		return fmt.Errorf("%w; see %s --help", err, f.flags.Name())
	}
	return nil
}

// Version names the source that the program was built from.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "unknown"
}

// Main is the main function of a program: run ends with ctx, at the first signal that asks
// the program to. Its error is the program's.
func Main(program string, run func(ctx context.Context) error) {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, program+": "+err.Error())
		os.Exit(1)
	}
}

// Logger returns a logger to stderr. format is console or json.
func Logger(level, format string) (*zap.Logger, error) {
	at, err := zapcore.ParseLevel(strings.ToLower(level))
	if err != nil {
		return nil, fmt.Errorf("the log level must be debug, info, warn or error, is %q", level)
	}
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	var encoder zapcore.Encoder
	switch format {
	case "json":
		encoder = zapcore.NewJSONEncoder(config)
	case "console":
		encoder = zapcore.NewConsoleEncoder(config)
	default:
		return nil, fmt.Errorf("the log format must be console or json, is %q", format)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(os.Stderr), at)), nil
}

// SuggestTakeOver adds to an error that is peer.ErrInUse what may be done about
// it, for a program that has --take-over.
func SuggestTakeOver(err error) error {
	if errors.Is(err, peer.ErrInUse) {
		return fmt.Errorf("%w, or take its place with --take-over", err)
	}
	return err
}
