package cli_test

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/peer/cli"
)

type options struct {
	text   string
	on     bool
	after  time.Duration
	listen *peer.Address
	tls    peer.TLS
	names  []string
}

func parse(args []string, env map[string]string) (o options, help string, err error) {
	o = options{listen: &peer.Address{Network: "unix", Name: "standard.sock"}}
	f := cli.New("test", func(name string) string { return env[name] })
	f.String(&o.text, "text", "T_TEXT", "standard", "a `text`")
	f.Bool(&o.on, "on", "T_ON", "is on")
	f.Duration(&o.after, "after", "T_AFTER", time.Second, "a `duration`")
	f.Address(&o.listen, "listen", "T_LISTEN", "an `address`")
	f.Listeners(&o.tls, &o.names)
	var out bytes.Buffer
	err = f.Parse(args, &out)
	return o, out.String(), err
}

func TestFlagOverridesVariableOverridesStandard(t *testing.T) {
	env := map[string]string{
		"T_TEXT": "env", "T_ON": "true", "T_AFTER": "2s", "T_LISTEN": "/env.sock", "SVC_TLS_CERT": "env.pem", "SVC_TLS_NAMES": "a, b",
	}
	o, _, err := parse(nil, nil)
	if err != nil || o.text != "standard" || o.on || o.after != time.Second || o.listen.Name != "standard.sock" || o.names != nil {
		t.Errorf("standards: %+v, %v", o, err)
	}
	o, _, err = parse(nil, env)
	if err != nil || o.text != "env" || !o.on || o.after != 2*time.Second || o.listen.Name != "/env.sock" || o.tls.Cert != "env.pem" ||
		strings.Join(o.names, "|") != "a|b" {
		t.Errorf("variables: %+v, %v", o, err)
	}
	o, _, err = parse([]string{
		"--text", "flag", "--on=false", "--after=3s", "--listen", "off", "--tls-cert=flag.pem", "--tls-names=c",
	}, env)
	if err != nil || o.text != "flag" || o.on || o.after != 3*time.Second || o.listen != nil || o.tls.Cert != "flag.pem" ||
		strings.Join(o.names, "|") != "c" {
		t.Errorf("flags: %+v, %v", o, err)
	}
}

func TestVersionIsSaidWhateverElseIsWrong(t *testing.T) {
	_, said, err := parse([]string{"--version"}, map[string]string{"T_AFTER": "soon"})
	if !errors.Is(err, flag.ErrHelp) || !strings.HasPrefix(said, "test ") || strings.Count(said, "\n") != 1 {
		t.Errorf("said %q, %v", said, err)
	}
}

func TestWhatIsWrongIsNamed(t *testing.T) {
	for want, tc := range map[string]struct {
		args []string
		env  map[string]string
	}{
		`unexpected argument "more"`:   {args: []string{"more"}},
		"-colour; see test --help":     {args: []string{"--colour"}},
		"not defined: -colour":         {args: []string{"--colour"}},
		`"nowhere" is not an address`:  {args: []string{"--listen=nowhere"}},
		`T_LISTEN: "nowhere" is not`:   {env: map[string]string{"T_LISTEN": "nowhere"}},
		"T_ON must be true or false":   {env: map[string]string{"T_ON": "perhaps"}},
		"T_AFTER must be a duration":   {env: map[string]string{"T_AFTER": "-1s"}},
		"invalid value \"soon\" for f": {args: []string{"--after=soon"}},
	} {
		if _, _, err := parse(tc.args, tc.env); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, help, err := parse([]string{"--help"}, nil); !errors.Is(err, flag.ErrHelp) || !strings.HasPrefix(help, "usage: test [options]") ||
		!strings.Contains(help, "T_LISTEN") {
		t.Errorf("help: %v\n%s", err, help)
	}
}

func TestLoggerRefusesWhatItDoesNotKnow(t *testing.T) {
	for _, format := range []string{"console", "json"} {
		if _, err := cli.Logger("INFO", format); err != nil {
			t.Error(err)
		}
	}
	if _, err := cli.Logger("loud", "json"); err == nil {
		t.Error("an unknown level")
	}
	if _, err := cli.Logger("info", "xml"); err == nil {
		t.Error("an unknown format")
	}
}
