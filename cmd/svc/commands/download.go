package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/client"
)

func downloadCommand() *cobra.Command {
	o := &jobOptions{}
	var dir string
	var force bool
	c := jobCommand("download", "Download and unpack the files of an ended job", o, func(c *cobra.Command, job client.Job) error {
		if err := checkTarget(dir, force); err != nil {
			return &codedError{exitUsage, err}
		}
		return o.call(c, func(ctx context.Context, service *client.Client) error {
			record, err := service.Status(ctx, job)
			if err != nil {
				return err
			}
			job.ProjectID = record.ProjectID
			result := generated{Job: record}
			if err := result.unpack(ctx, service, job, dir, force); err != nil {
				return err
			}
			return o.print(c.OutOrStdout(), result, result.text())
		})
	})
	c.Flags().StringVarP(&dir, "output", "o", "", "`DIR` to unpack into; replaces the game that svc unpacked there before")
	c.Flags().BoolVar(&force, "force", false, "replace DIR even if it holds files that svc did not write")
	require(c, "output")
	return c
}

// unpack downloads the files of job and makes them the content of dir.
func (g *generated) unpack(ctx context.Context, service *client.Client, job client.Job, dir string, force bool) (err error) {
	target, err := filepath.Abs(dir)
	if err != nil {
		return fmt.Errorf("finding directory: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return fmt.Errorf("making parent directory: %w", err)
	}
	temp, err := os.MkdirTemp(filepath.Dir(target), ".svc-download-")
	if err != nil {
		return fmt.Errorf("making directory to download into: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	archive := filepath.Join(temp, "game.zip")
	if _, err := service.Download(ctx, job, archive); err != nil {
		return err
	}
	fresh := filepath.Join(temp, "game")
	if err := client.Extract(archive, fresh); err != nil {
		return err
	}
	if err := checkTarget(dir, force); err != nil {
		return err // it changed while the job ran
	}
	changes, err := compareGames(target, fresh, job.ProjectID)
	if err != nil {
		return err
	}
	if err := writeManifest(fresh, job); err != nil {
		return err
	}
	if err := replaceDir(target, fresh, filepath.Join(temp, "before")); err != nil {
		return err
	}
	g.Directory, g.Changes = dir, changes
	index := filepath.Join(dir, "index.html")
	if _, err := os.Stat(index); err == nil {
		g.Index = index
	}
	return nil
}

// compareGames compares the game of a project with what is in the directory
// before. The game of another project is nothing to compare it with.
func compareGames(before, after, projectID string) (*changes, error) {
	earlier, err := readManifest(before)
	if err != nil {
		return nil, err
	}
	if earlier.ProjectID != "" && earlier.ProjectID != projectID {
		before = ""
	}
	return compareDirs(before, after)
}
