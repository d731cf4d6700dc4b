package docker

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	cerrdefs "github.com/containerd/errdefs"
	"github.com/moby/moby/client"
	"go.uber.org/zap"
	"golang.org/x/sync/singleflight"

	"github.com/svc-games/svc/engine-proxy/driver"
	"github.com/svc-games/svc/engine-proxy/driver/internal/driverkit"
)

// pullStall is how long a pull may make no progress.
const pullStall = time.Minute

var errStalled = fmt.Errorf("nothing came for %s", pullStall)

const reasonNoImage = "The engine's image is missing."

// fetch gets an image that is not there, if that is allowed. All starts share
// one pull, and it goes on when a start's time is up: the next one finds more.
func (d *Driver) fetch(ctx context.Context, progress func(driver.Phase)) error {
	if d.opts.Pull == PullNever {
		return d.noImage()
	}
	progress(driver.PhasePulling)
	select {
	case pulled := <-d.pull():
		return pulled.Err
	case <-ctx.Done():
		return fmt.Errorf("pulling the image %s: %w", d.opts.Image, ctx.Err())
	}
}

// pull begins a pull, unless one is under way, and returns where its end is
// reported.
func (d *Driver) pull() <-chan singleflight.Result {
	return d.pulls.DoChan(d.opts.Image, func() (any, error) {
		d.opts.Logger.Info("pulling engine image", zap.String("image", d.opts.Image))
		return nil, d.pullImage()
	})
}

func (d *Driver) pullImage() error {
	ctx, cancel := context.WithCancelCause(d.ctx)
	defer cancel(nil)
	stall := time.AfterFunc(pullStall, func() { cancel(errStalled) })
	defer stall.Stop()
	err := d.read(ctx, func() { stall.Reset(pullStall) })
	switch {
	case err == nil:
		return nil
	case errors.Is(context.Cause(ctx), errStalled):
		err = errStalled
	case neverPulled(err):
		return driverkit.Refused(reasonNoImage, fmt.Errorf("pulling the image %s: %w", d.opts.Image, err))
	}
	return fmt.Errorf("pulling the image %s: %w", d.opts.Image, driverkit.Unavailable(err))
}

// read pulls the image and calls progressed whenever something has come. The pull
// of another start may have ended since this one missed the image.
func (d *Driver) read(ctx context.Context, progressed func()) error {
	if _, err := d.api.ImageInspect(ctx, d.opts.Image); err == nil {
		return nil
	}
	stream, err := d.api.ImagePull(ctx, d.opts.Image, client.ImagePullOptions{})
	if err != nil {
		return err
	}
	for message, err := range stream.JSONMessages(ctx) {
		if err != nil {
			return err
		}
		if message.Error != nil {
			return message.Error
		}
		progressed()
	}
	return nil
}

// neverPulled reports whether the registry said that the image is not there, or
// not for us. Older daemons pass that on as an error of their own.
func neverPulled(err error) bool {
	return cerrdefs.IsNotFound(err) || cerrdefs.IsInvalidArgument(err) || cerrdefs.IsUnauthorized(err) ||
		cerrdefs.IsPermissionDenied(err) || strings.Contains(err.Error(), "manifest unknown")
}

func (d *Driver) noImage() error {
	return driverkit.Refused(reasonNoImage, fmt.Errorf("the image %s is not on this machine: run make engine-image, or pull it", d.opts.Image))
}
