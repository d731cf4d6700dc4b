package embedded

import (
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"

	"github.com/svc-games/svc/engine-proxy/host"
)

func TestImpossibleDriverOptionsAreRefusedWhenTheConfigurationIsLoaded(t *testing.T) {
	tests := map[string]struct {
		engines Engines
		says    string
	}{
		"process":                        {Engines{}, ""},
		"docker":                         {Engines{Driver: "docker"}, ""},
		"unknown driver":                 {Engines{Driver: "podman"}, `driver must be process, docker or kubernetes, is "podman"`},
		"frameworks with docker":         {Engines{Driver: "docker", Frameworks: "/opt/frameworks"}, "they are in its image"},
		"docker's options alone":         {Engines{Docker: new(host.Docker)}, "the driver is process"},
		"a daemon behind TCP":            {Engines{Driver: "docker", Docker: &host.Docker{Host: "tcp://10.0.0.1:2375"}}, "must be one of this machine"},
		"a pull policy of no one":        {Engines{Driver: "docker", Docker: &host.Docker{Pull: "always"}}, "pull must be never or missing"},
		"a command without path":         {Engines{Driver: "docker", Command: "svc-engine"}, "must be an absolute path"},
		"kubernetes without a namespace": {Engines{Driver: "kubernetes"}, "the namespace is required"},
		"kubernetes":                     {Engines{Driver: "kubernetes", Kubernetes: &host.Kubernetes{Namespace: "svc-engines"}}, ""},
		"kubernetes' options alone":      {Engines{Kubernetes: new(host.Kubernetes)}, "the options of the driver kubernetes are given, but the driver is process"},
		"frameworks with kubernetes":     {Engines{Driver: "kubernetes", Frameworks: "/opt/frameworks"}, "they are in its image"},
		"another pull policy":            {Engines{Driver: "kubernetes", Kubernetes: &host.Kubernetes{Namespace: "e", Pull: "sometimes"}}, "pull must be never, missing or always"},
		"another access":                 {Engines{Driver: "kubernetes", Kubernetes: &host.Kubernetes{Namespace: "e", Access: "ReadWriteMany"}}, "access mode must be"},
		"nodes of no label":              {Engines{Driver: "kubernetes", Kubernetes: &host.Kubernetes{Namespace: "e", NodeSelector: "zone"}}, "is not like a=b,c=d"},
		"a place of no time":             {Engines{Driver: "kubernetes", Kubernetes: &host.Kubernetes{Namespace: "e", Place: "soon"}}, "place must be a duration"},
		"an egress without address":      {Engines{Driver: "kubernetes", Kubernetes: &host.Kubernetes{Namespace: "e", EgressListen: ":7444"}}, "belong together"},
		"an egress in the clear":         {Engines{Driver: "kubernetes", Kubernetes: &host.Kubernetes{Namespace: "e", EgressListen: ":7444", EgressURL: "http://e:7444"}}, "must begin with https://"},
		"too little memory":              {Engines{Driver: "docker", Docker: &host.Docker{Memory: 1 << 20}}, "at least"},
		"negative processes":             {Engines{Driver: "docker", Docker: &host.Docker{PIDs: -1}}, "must not be negative"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			e := tc.engines
			if err := e.Provision(caddy.Context{}); err != nil {
				t.Fatal(err)
			}
			err := e.Validate()
			switch {
			case tc.says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)):
				t.Errorf("got %v, want %q", err, tc.says)
			}
		})
	}
}
