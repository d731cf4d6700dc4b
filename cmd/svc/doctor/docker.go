package doctor

import (
	"cmp"
	"context"
	"errors"
	"os"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/docker"
)

// checkDocker asks the Docker daemon whether engines could run as containers.
func checkDocker(ctx context.Context, dataDir string) Check {
	image := cmp.Or(os.Getenv("SVC_ENGINE_IMAGE"), docker.DefaultImage)
	k := Check{Name: "Docker", Required: true}
	d, err := docker.New(docker.Options{DataDir: dataDir, Image: image})
	if err != nil {
		k.Found, k.Advice = err.Error(), "correct DOCKER_HOST"
		return k
	}
	defer d.Close()
	switch err := d.Check(ctx); {
	case err == nil:
		k.OK, k.Found = true, "runs, and has the image "+image
	case errors.Is(err, driver.ErrFatalSpec):
		k.Found, k.Advice = err.Error(), "run make engine-image, or set SVC_ENGINE_IMAGE"
	default:
		k.Found, k.Advice = err.Error(), "start Docker (scripts/docker start), and be root or in its group"
	}
	return k
}
