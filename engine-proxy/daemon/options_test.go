package daemon_test

import (
	"bytes"
	"errors"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	engineproxy "github.com/svc-games/svc/engine-proxy"
	"github.com/svc-games/svc/engine-proxy/daemon"
	"github.com/svc-games/svc/engine-proxy/fleet"
	"github.com/svc-games/svc/test/keep"
)

func parse(args []string, env map[string]string) (daemon.Options, string, error) {
	var help bytes.Buffer
	o, err := daemon.ParseOptions(args, func(name string) string { return env[name] }, &help)
	return o, help.String(), err
}

func TestCommandLineNeedsNothing(t *testing.T) {
	o, _, err := parse([]string{"--data-dir", "/srv/svc"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if o.Host.Driver != "process" || o.Listen != nil || o.Stop != fleet.KeepEngines || o.Host.Egress != nil ||
		o.Sidecar.String() != "unix//srv/svc/run/sidecar.sock" || o.Host.Settings.IdleTTL != 10*time.Minute {
		t.Errorf("got %+v", o)
	}
}

func TestCommandLineAndVariablesSayTheSame(t *testing.T) {
	models := keep.File(t, "egress.json", `{"endpoints":[{"url":"https://models.example/v1","chat":["writer"]}]}`)
	options := keep.File(t, "docker.json", `{"image":"svc-engine:full","memory":1073741824}`)
	flags, _, err := parse([]string{
		"--listen=:7443", "--sidecar=side:7442", "--driver=docker", "--driver-options", options, "--egress", models,
		"--idle=20m", "--stop-on-exit=all", "--max-engines=5", "--tls-names=gateway", "--tls-cert=c", "--tls-key=k", "--tls-ca=a",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	vars, _, err := parse([]string{"--max-engines=5"}, map[string]string{
		"SVC_ENGINES_LISTEN": ":7443", "SVC_SIDECAR": "side:7442", "SVC_ENGINE_DRIVER": "docker",
		"SVC_ENGINE_DRIVER_OPTIONS": options, "SVC_EGRESS": models, "SVC_ENGINE_IDLE": "20m", "SVC_STOP_ENGINES": "all",
		"SVC_TLS_NAMES": "gateway", "SVC_TLS_CERT": "c", "SVC_TLS_KEY": "k", "SVC_TLS_CA": "a",
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]daemon.Options{"flags": flags, "variables": vars} {
		if o.Listen.String() != ":7443" || o.Sidecar.String() != "side:7442" || o.Host.Docker.Image != "svc-engine:full" ||
			o.Host.Docker.Memory != 1<<30 || o.Host.Egress.Endpoints[0].Chat[0] != "writer" || o.Host.Settings.IdleTTL != 20*time.Minute ||
			o.Stop != fleet.StopAll || o.Host.Settings.MaxEngines != 5 || o.Names[0] != "gateway" {
			t.Errorf("by %s: %+v", name, o)
		}
	}
}

func TestBadCommandLineIsRefusedInOneLine(t *testing.T) {
	unknown := keep.File(t, "driver.json", `{"colour":"red"}`)
	twice := keep.File(t, "twice.json", `{} {}`)
	plain := keep.File(t, "egress.json", `{"endpoints":[{"url":"http://models.example/v1","key_file":"k","chat":["writer"]}]}`)
	for want, args := range map[string][]string{
		"not defined: -colour":  {"--colour"},
		`"x" is not an address`: {"--listen=x"},
		"--listen :1 needs mutual TLS: give --tls-key, --tls-names too": {"--listen=:1", "--tls-cert=c", "--tls-ca=a"},
		"driver must be":              {"--driver=podman"},
		"stop_on_exit must be":        {"--stop-on-exit=some"},
		"number of at least 1":        {"--max-engines=0"},
		"size like 50GiB":             {"--max-archive=much"},
		`unknown field "colour"`:      {"--driver-options", unknown},
		"memory can't be a text":      {"--driver-options", keep.File(t, "size.json", `{"memory":"512MiB"}`)},
		"data after the object":       {"--driver-options", twice},
		"no such file":                {"--egress", plain + "x"},
		"the key would travel":        {"--egress", plain},
		"memory and cpus need cgroup": {"--driver-options", keep.File(t, "memory.json", `{"memory":1}`)},
		`unexpected argument "again"`: {"again"},
		"frameworks has no meaning":   {"--driver=docker", "--frameworks=/opt"},
		"the namespace is required":   {"--driver=kubernetes"},
		"egress_url are missing": {
			"--driver=kubernetes", "--driver-options", keep.File(t, "kubernetes.json", `{"namespace":"svc-engines"}`),
			"--egress", keep.File(t, "models.json", `{"endpoints":[{"url":"https://models.example/v1","chat":["writer"]}]}`),
		},
	} {
		_, _, err := parse(args, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v; want %q", args, err, want)
		}
	}
	if _, help, err := parse([]string{"--help"}, nil); !errors.Is(err, flag.ErrHelp) || !strings.Contains(help, "SVC_ENGINES_LISTEN") {
		t.Errorf("help: %v\n%s", err, help)
	}
}

// TestFilesOfTLSAreReadBeforeAnythingIsTakenOver: the engine proxy that runs goes on.
func TestFilesOfTLSAreReadBeforeAnythingIsTakenOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	o, _, err := parse([]string{
		"--data-dir", dir, "--take-over", "--listen=127.0.0.1:0", "--tls-names=gateway", "--tls-cert=c", "--tls-key=k", "--tls-ca=a",
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = daemon.Run(t.Context(), o, func(http.RoundTripper) engineproxy.Ledger { return nil })
	if err == nil || !strings.Contains(err.Error(), "serving gateways: looking for TLS files") {
		t.Error(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the data directory was touched: %v", err)
	}
}
