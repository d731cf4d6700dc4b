package engine

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const egressRule = "--egress must be a path with --socket, and an https URL with --listen"

func TestOptionsAreReadFromTheCommandLineAndTheEnvironment(t *testing.T) {
	whole := []string{"--volume", "v", "--socket", "s", "--project", project, "--instance", "i", "--token-file", "t"}
	without := func(flag string) []string {
		var args []string
		for i := 0; i < len(whole); i += 2 {
			if whole[i] != flag {
				args = append(args, whole[i], whole[i+1])
			}
		}
		return args
	}
	for _, tc := range []struct {
		name, delay string
		args        []string
		delayed     time.Duration
		until       string
		err         string
	}{
		{name: "all", args: whole},
		{name: "a start delay", args: whole, delay: "20s", delayed: 20 * time.Second},
		{name: "a start that waits for a file", args: whole, delay: "until:go", until: "go"},
		{name: "a file elsewhere", args: whole, delay: "until:../go", err: `SVC_ENGINE_START_DELAY must be a duration like 20s, not "until:../go"`},
		{name: "no duration", args: whole, delay: "20", err: `SVC_ENGINE_START_DELAY must be a duration like 20s, not "20"`},
		{name: "a negative duration", args: whole, delay: "-1s", err: `SVC_ENGINE_START_DELAY must be a duration like 20s, not "-1s"`},
		{name: "no volume", args: without("--volume"), err: "--volume is required"},
		{name: "replays with a volume", args: append(without(""), "--replays"), err: "--replays has no volume"},
		{name: "neither socket nor port", args: without("--socket"), err: "either --socket or --listen is required"},
		{name: "socket and port", args: append(without(""), "--listen", ":0"), err: "either --socket or --listen is required"},
		{name: "a port", args: append(without("--socket"), "--listen", ":0", "--tls-cert", "c", "--tls-key", "k", "--tls-ca", "a", "--egress", "https://e:1")},
		{name: "a port without a certificate", args: append(without("--socket"), "--listen", ":0", "--tls-key", "k", "--tls-ca", "a"), err: "--listen needs mutual TLS: --tls-cert is required"},
		{name: "a port without a key", args: append(without("--socket"), "--listen", ":0", "--tls-cert", "c", "--tls-ca", "a"), err: "--listen needs mutual TLS: --tls-key is required"},
		{name: "a port without an authority", args: append(without("--socket"), "--listen", ":0", "--tls-cert", "c", "--tls-key", "k"), err: "--listen needs mutual TLS: --tls-ca is required"},
		{name: "a socket with a certificate", args: append(without(""), "--tls-cert", "c"), err: "--tls-cert has no meaning without --listen"},
		{name: "a socket with models elsewhere", args: append(without(""), "--egress", "https://e:1"), err: egressRule},
		{name: "a port with models here", args: append(without("--socket"), "--listen", ":0", "--tls-cert", "c", "--tls-key", "k", "--tls-ca", "a", "--egress", "e.sock"), err: egressRule},
		{name: "a port with models in the clear", args: append(without("--socket"), "--listen", ":0", "--tls-cert", "c", "--tls-key", "k", "--tls-ca", "a", "--egress", "http://e:1"), err: egressRule},
		{name: "no token", args: without("--token-file"), err: "--token-file is required"},
		{name: "a bad project", args: append(without("--project"), "--project", "../x"), err: "--project must be 24 lower-case hexadecimal characters"},
		{name: "an unknown flag", args: append(without(""), "--shell"), err: "flag provided but not defined: -shell"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o, err := ParseOptions(tc.args, func(name string) string {
				if name == startDelayVariable {
					return tc.delay
				}
				return ""
			}, io.Discard)
			if tc.err != "" {
				if err == nil || err.Error() != tc.err {
					t.Errorf("error %v, want %s", err, tc.err)
				}
				return
			}
			if err != nil || o.StartDelay != tc.delayed || o.StartFile != tc.until || o.Volume != "v" || filepath.Base(o.Frameworks) != "frameworks" {
				t.Errorf("options %+v, %v", o, err)
			}
		})
	}
}

func TestHelpNamesTheFlags(t *testing.T) {
	var out bytes.Buffer
	_, err := ParseOptions([]string{"-h"}, func(string) string { return "" }, &out)
	if !errors.Is(err, flag.ErrHelp) || !strings.Contains(out.String(), "-volume") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func TestTheTokenIsReadWithoutItsNewlineAndMustNotBeEmpty(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	for content, want := range map[string]string{"secret\n": "secret", "secret": "secret", "\n": ""} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		cfg, err := Options{TokenFile: file}.Config()
		if cfg.Token != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", content, cfg.Token, err)
		}
	}
}
