package doctor

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/svc-games/svc/cmd/svc/certs"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
	engines "github.com/svc-games/svc/engine-proxy/remote"
	"github.com/svc-games/svc/peer"
	"github.com/svc-games/svc/sidecar"
	"github.com/svc-games/svc/sidecar/wire"
)

// Names of drivers whose packages would bring more with them than a check needs.
const (
	processDriver    = "process"
	kubernetesDriver = "kubernetes"
)

// elsewhere returns where a part of the service is that runs in another
// process, and whether it does.
func elsewhere(variable string) (where string, other bool) {
	where = os.Getenv(variable)
	return where, where != "" && where != "embedded"
}

// partChecks asks for the parts of the service: for those in this process
// what they need, for those in another whether they answer.
func partChecks(ctx context.Context, dataDir, beside string) []Check {
	checks := engineChecks(ctx, dataDir, beside)
	checks = append(checks, checkJournals(dataDir)...)
	checks = append(checks, checkCertificate(os.Getenv("SVC_TLS_CERT"), time.Now())...)
	if where, other := elsewhere("SVC_SIDECAR"); other {
		checks = append(checks, checkSidecar(ctx, where))
	}
	return checks
}

// renewBefore is how long before its end a certificate is to be renewed.
const renewBefore = 30 * 24 * time.Hour

// checkCertificate asks how long the certificate of this part is good; nothing where there
// is none.
func checkCertificate(path string, now time.Time) []Check {
	if path == "" {
		return nil
	}
	k := Check{Name: "certificate", Required: true}
	part, err := certs.Read(path)
	until := part.Until.Format(time.DateOnly)
	switch {
	case err != nil:
		k.Found, k.Advice = err.Error(), "set SVC_TLS_CERT"
	case now.After(part.Until):
		k.Found, k.Advice = fmt.Sprintf("that of %s ended on %s", part.Name, until), "renew it: svc certs renew"
	case now.Add(renewBefore).After(part.Until):
		k.Required = false
		k.Found, k.Advice = fmt.Sprintf("that of %s ends on %s", part.Name, until), "renew it: svc certs renew"
	default:
		k.OK, k.Found = true, fmt.Sprintf("that of %s is good until %s", part.Name, until)
	}
	return []Check{k}
}

// engineChecks asks for what engines need.
func engineChecks(ctx context.Context, dataDir, beside string) []Check {
	if where, other := elsewhere("SVC_ENGINES"); other {
		return []Check{checkEngines(ctx, where)} // what engines need is on that machine
	}
	switch driver := os.Getenv("SVC_ENGINE_DRIVER"); driver {
	case docker.Name:
		return []Check{checkDocker(ctx, dataDir)} // the image has both
	case kubernetesDriver:
		return nil // the image again, and the cluster is the engine proxy's to look at
	case "", processDriver:
		frameworks := cmp.Or(os.Getenv("SVC_FRAMEWORKS"), filepath.Join(beside, "frameworks"))
		return []Check{
			checkFile("game framework", filepath.Join(frameworks, "phaser", "phaser.min.js"), false),
			checkFile("engine program", filepath.Join(beside, "svc-engine"), true),
			checkFile("engine shim", filepath.Join(beside, "svc-shim"), true),
			checkWalls(ctx, beside),
		}
	default:
		return []Check{{
			Name: "driver", Required: true, Found: fmt.Sprintf("no driver is called %q", driver),
			Advice: "set SVC_ENGINE_DRIVER to process, docker or kubernetes",
		}}
	}
}

// part is a part of the service in another process.
type part struct {
	name, variable, program string
	ask                     func(context.Context, http.RoundTripper) error
}

// checkSidecar asks whether the sidecar that SVC_SIDECAR names answers.
func checkSidecar(ctx context.Context, where string) Check {
	return checkPart(ctx, where, part{"sidecar", "SVC_SIDECAR", "svc-sidecar", func(ctx context.Context, conn http.RoundTripper) error {
		client := wire.New(conn, wire.Options{})
		defer client.Close()
		const nowhere = "000000000000000000000000" // a project that does not exist: only the store can know
		_, err := client.Project(ctx, nowhere)
		if errors.Is(err, sidecar.ErrUnknownProject) {
			return nil
		}
		return err
	}})
}

// checkEngines asks whether the engine proxy that SVC_ENGINES names answers.
func checkEngines(ctx context.Context, where string) Check {
	return checkPart(ctx, where, part{"engine proxy", "SVC_ENGINES", "svc-engine-proxy", func(ctx context.Context, conn http.RoundTripper) error {
		client := engines.NewClient(conn, engines.Options{})
		_, err := client.List(ctx)
		return errors.Join(err, client.Close())
	}})
}

// checkPart asks whether a part answers. One behind TLS is asked with the files
// that SVC_TLS_CERT, SVC_TLS_KEY and SVC_TLS_CA name; the name in its certificate is its
// address's host, or that of SVC_SIDECAR_NAME or SVC_ENGINES_NAME.
func checkPart(ctx context.Context, where string, p part) Check {
	k := Check{Name: p.name, Required: true}
	address, err := peer.ParseAddress(where)
	if err != nil {
		k.Found, k.Advice = err.Error(), "set "+p.variable
		return k
	}
	o := peer.ClientOptions{Address: address}
	if !address.Unix() {
		o.ServerName = os.Getenv(p.variable + "_NAME")
		o.TLS = peer.TLS{Cert: os.Getenv("SVC_TLS_CERT"), Key: os.Getenv("SVC_TLS_KEY"), CA: os.Getenv("SVC_TLS_CA")}
	}
	conn, err := peer.NewClient(o)
	if err != nil {
		k.Found, k.Advice = err.Error(), "set SVC_TLS_CERT, SVC_TLS_KEY and SVC_TLS_CA to the gateway's files"
		return k
	}
	defer conn.CloseIdle()
	switch err = p.ask(ctx, conn); {
	case err == nil:
		k.OK, k.Found = true, address.String()+" answers"
	case errors.Is(err, peer.ErrNotListening):
		k.Found, k.Advice = fmt.Sprintf("nobody listens on %s", address), "start "+p.program
	case errors.As(err, new(*tls.CertificateVerificationError)):
		k.Found = fmt.Sprintf("%s: %s", address, OneLine(err))
		k.Advice = fmt.Sprintf("see that SVC_TLS_CA is the authority of its certificate, and that the address's host or %s_NAME is in it", p.variable)
	case errors.Is(err, fs.ErrPermission):
		k.Found, k.Advice = err.Error(), "run as the user that runs "+p.program
	default:
		k.Found, k.Advice = fmt.Sprintf("%s: %v", address, err), "look into the log of "+p.program
	}
	return k
}
