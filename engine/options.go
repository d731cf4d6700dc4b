package engine

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/engine/gen"
	"github.com/svc-games/svc/engine/jobs"
	"github.com/svc-games/svc/engine/model"
)

// Simulate is the only argument of an svc-engine that simulates one game of the
// engine that started it.
const Simulate = "simulate"

// startDelayVariable makes an engine slow to start: by a duration, or until there
// is a file in its volume, whose name follows untilFile; a test aid.
const (
	startDelayVariable = "SVC_ENGINE_START_DELAY"
	untilFile          = "until:"
)

// stuckVariable makes an engine's generator never return and its jobs run out of
// time so much later, at any level; a test aid.
const stuckVariable = "SVC_ENGINE_STUCK"

// Options are the command line of svc-engine.
type Options struct {
	Volume string
	// Replays has the engine play runs of players again and nothing else; there is no
	// volume then.
	Replays bool
	// Socket is the Unix socket to listen on; "" with Listen.
	Socket string
	// Listen is host:port to listen at instead, with mutual TLS by the files
	// TLSCert, TLSKey and TLSCA.
	Listen                 string
	TLSCert, TLSKey, TLSCA string
	ProjectID              string
	InstanceID             string
	TokenFile              string
	// Frameworks is the folder of the game frameworks' bundles; default:
	// frameworks, beside the executable.
	Frameworks string
	// Egress is the Unix socket, or with Listen the https URL, behind which
	// models are found; "" when there are none.
	Egress string
	// Chromium is the browser that plays each game before it is delivered;
	// default none, which leaves it to the simulation.
	Chromium string
	// Limits bound the volume.
	Limits jobs.Limits
	// StartDelay, or StartFile, comes from SVC_ENGINE_START_DELAY; default none.
	StartDelay time.Duration
	StartFile  string
	// Stuck comes from SVC_ENGINE_STUCK; default none.
	Stuck time.Duration
}

// ParseOptions reads the command line args and the environment. When args ask
// for help it is written to stderr, and the error is flag.ErrHelp.
func ParseOptions(args []string, getenv func(string) string, stderr io.Writer) (Options, error) {
	var o Options
	flags := flag.NewFlagSet("svc-engine", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are the caller's to report
	flags.StringVar(&o.Volume, "volume", "", "`folder` that holds the project's state")
	flags.BoolVar(&o.Replays, "replays", false, "play runs of players again and do nothing else, without a volume")
	flags.StringVar(&o.Socket, "socket", "", "`path` of the Unix socket to listen on")
	flags.StringVar(&o.Listen, "listen", "", "`host:port` to listen at instead, with mutual TLS")
	flags.StringVar(&o.TLSCert, "tls-cert", "", "`file` of the instance's certificate, for --listen")
	flags.StringVar(&o.TLSKey, "tls-key", "", "`file` of its key, for --listen")
	flags.StringVar(&o.TLSCA, "tls-ca", "", "`file` of the authority that the engine proxy's certificate comes from, for --listen")
	flags.StringVar(&o.ProjectID, "project", "", "`id` of the project")
	flags.StringVar(&o.InstanceID, "instance", "", "`ULID` that names this start")
	flags.StringVar(&o.TokenFile, "token-file", "", "`file` with the token that requests must carry")
	flags.StringVar(&o.Frameworks, "frameworks", "", "`folder` of the game frameworks' bundles (default: frameworks beside the executable)")
	flags.StringVar(&o.Egress, "egress", "", "`path` of the Unix socket behind which models are found, or with --listen the https URL (default: no models)")
	flags.StringVar(&o.Chromium, "chromium", "", "`path` of the browser that plays each game before it is delivered (default: none)")
	flags.Int64Var(&o.Limits.Bytes, "volume-bytes", 0, "the most `bytes` that the volume may hold (default 256 MiB)")
	flags.IntVar(&o.Limits.Files, "volume-files", 0, "the most `files` that the volume may hold (default 20000)")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		flags.SetOutput(stderr)
		flags.PrintDefaults()
	}
	if err != nil {
		return Options{}, err
	}
	for _, name := range []string{"volume", "project", "instance", "token-file"} {
		if flags.Lookup(name).Value.String() == "" && !(o.Replays && name == "volume") {
			return Options{}, fmt.Errorf("--%s is required", name)
		}
	}
	if o.Replays && o.Volume != "" {
		return Options{}, errors.New("--replays has no volume")
	}
	if err := o.checkWays(); err != nil {
		return Options{}, err
	}
	if !api.ValidProjectID(o.ProjectID) {
		return Options{}, errors.New("--project must be 24 lower-case hexadecimal characters")
	}
	if o.Limits.Bytes < 0 || o.Limits.Files < 0 {
		return Options{}, errors.New("--volume-bytes and --volume-files must not be negative")
	}
	for name, into := range map[string]*time.Duration{startDelayVariable: &o.StartDelay, stuckVariable: &o.Stuck} {
		text := getenv(name)
		if text == "" {
			continue
		}
		if file, ok := strings.CutPrefix(text, untilFile); ok && name == startDelayVariable && filepath.IsLocal(file) {
			o.StartFile = file
			continue
		}
		var err error
		if *into, err = time.ParseDuration(text); err != nil || *into < 0 {
			return Options{}, fmt.Errorf("%s must be a duration like 20s, not %q", name, text)
		}
	}
	if o.Frameworks == "" {
		executable, err := os.Executable()
		if err != nil {
			return Options{}, fmt.Errorf("finding frameworks: %w", err)
		}
		o.Frameworks = filepath.Join(filepath.Dir(executable), "frameworks")
	}
	return o, nil
}

// checkWays refuses ways to and from the engine that don't go together, and
// TCP without mutual TLS.
func (o Options) checkWays() error {
	files := []struct{ flag, path string }{{"tls-cert", o.TLSCert}, {"tls-key", o.TLSKey}, {"tls-ca", o.TLSCA}}
	remote := o.Listen != ""
	if remote == (o.Socket != "") {
		return errors.New("either --socket or --listen is required")
	}
	for _, f := range files {
		switch {
		case remote && f.path == "":
			return fmt.Errorf("--listen needs mutual TLS: --%s is required", f.flag)
		case !remote && f.path != "":
			return fmt.Errorf("--%s has no meaning without --listen", f.flag)
		}
	}
	isURL := strings.Contains(o.Egress, "://")
	if o.Egress != "" && isURL != remote || isURL && !strings.HasPrefix(o.Egress, "https://") {
		return errors.New("--egress must be a path with --socket, and an https URL with --listen")
	}
	return nil
}

func (o Options) tls() tlsFiles { return tlsFiles{Cert: o.TLSCert, Key: o.TLSKey, CA: o.TLSCA} }

// Config returns what Serve needs, but for the generator: the token is read,
// and the log goes to stderr as JSON.
func (o Options) Config() (Config, error) {
	token, err := os.ReadFile(o.TokenFile)
	if err != nil {
		return Config{}, fmt.Errorf("reading token: %w", err)
	}
	cfg := Config{
		Volume: o.Volume, Socket: o.Socket, Listen: o.Listen, ProjectID: o.ProjectID, InstanceID: o.InstanceID,
		Token: string(bytes.TrimSpace(token)), StartDelay: o.StartDelay, StartFile: o.StartFile, TimeLimit: o.Stuck, Limits: o.Limits, Version: version(), Log: logger(),
	}
	if cfg.Token == "" {
		return Config{}, errors.New("reading token: the file is empty")
	}
	if o.Listen != "" {
		if cfg.TLS, err = o.tls().server(); err != nil {
			return Config{}, err
		}
	}
	return cfg, nil
}

func logger() *zap.Logger {
	encoder := zap.NewProductionEncoderConfig()
	encoder.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	return zap.New(zapcore.NewCore(zapcore.NewJSONEncoder(encoder), zapcore.Lock(os.Stderr), zap.InfoLevel))
}

func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}

// Generator returns the options of the generator: it asks models where there
// are some.
func (o Options) Generator() (gen.Options, error) {
	self, err := os.Executable()
	if err != nil {
		return gen.Options{}, fmt.Errorf("looking for this program: %w", err)
	}
	g := gen.Options{Frameworks: o.Frameworks, Chromium: o.Chromium, Simulator: []string{self, Simulate}}
	if o.Egress == "" {
		return g, nil
	}
	egress := model.Options{Socket: o.Egress, TokenFile: o.TokenFile}
	if o.Listen != "" {
		config, err := o.tls().client()
		if err != nil {
			return g, err
		}
		egress.Socket, egress.URL, egress.TLS = "", o.Egress, config
	}
	g.Models = model.New(egress)
	return g, nil
}
