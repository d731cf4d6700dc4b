package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

// generateOptions are the flags of svc generate.
type generateOptions struct {
	clientOptions
	project      string
	name         string
	dir          string
	instructions string
	settings     []string
	force        bool
	publish      bool
}

func generateCommand() *cobra.Command {
	o := &generateOptions{}
	c := &cobra.Command{
		Use:   "generate BRIEF",
		Short: "Generate a game, or change one, and unpack it",
		Long: `Generate submits the brief ("-" reads it from standard input), follows the job
and unpacks the game into DIR. With a project the brief is a change request;
without one a project is created.

The last line on standard output is the path of the game's index.html; with
--publish the line before it is the address of the published game.`,
		Example: `  svc generate "a calm fishing game" -o game
  svc generate "make it faster" -p PROJECT -o game`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c, args[0]) },
	}
	o.register(c)
	flags := c.Flags()
	flags.StringVarP(&o.project, "project", "p", "", "`PROJECT` to change (default: a new one)")
	flags.StringVar(&o.name, "name", "", "name of the new project (default: the start of the brief)")
	flags.StringVarP(&o.dir, "output", "o", "", "`DIR` to unpack the game into; replaces the game that svc unpacked there before")
	flags.StringVar(&o.instructions, "instructions", "", "`FILE` with persistent direction for this and later jobs")
	flags.StringArrayVar(&o.settings, "settings", nil, "sticky engine option as `NAME=VALUE`; may be repeated")
	completeFlag(c, "settings", completeSettings(&o.clientOptions))
	completeFlag(c, "project", completeProjects(&o.clientOptions))
	flags.BoolVar(&o.force, "force", false, "replace DIR even if it holds files that svc did not write")
	flags.BoolVar(&o.publish, "publish", false, "publish the game when it is done")
	return c
}

// generated is the result of svc generate and svc download for programs.
type generated struct {
	Job       api.Job  `json:"job"`
	Directory string   `json:"directory,omitempty"`
	Index     string   `json:"index,omitempty"`   // path of index.html, if the game has one
	Changes   *changes `json:"changes,omitempty"` // against what was in the directory before
	Address   string   `json:"address,omitempty"` // where players get it, if it was published
}

func (o *generateOptions) run(c *cobra.Command, brief string) error {
	req, err := o.request(c.InOrStdin(), brief)
	if err != nil {
		return &codedError{exitUsage, err}
	}
	// Find out before the job is paid for whether its game can be put there.
	if o.dir != "" {
		if err := checkTarget(o.dir, o.force); err != nil {
			return &codedError{exitUsage, err}
		}
	}
	d := newDisplay(c.ErrOrStderr())
	return o.callShown(c, d, func(ctx context.Context, service *client.Client) error {
		result, err := o.generate(ctx, service, d, req)
		d.close()
		if err != nil {
			return err
		}
		return errors.Join(o.print(c.OutOrStdout(), result, result.text()), endOf(result.Job))
	})
}

// generate submits a job, follows it to its end and unpacks its game.
func (o *generateOptions) generate(ctx context.Context, service *client.Client, d display, req api.GenerateRequest) (generated, error) {
	var result generated
	if req.ProjectID == "" {
		project, err := service.CreateProject(ctx, api.ProjectRequest{Name: o.projectName(req.Prompt)})
		if err != nil {
			return result, fmt.Errorf("creating project: %w", err)
		}
		req.ProjectID = project.ID
		d.note("project " + project.ID)
	}
	submission, err := service.Generate(ctx, req)
	if o.project == "" && acceptsNothing(err) {
		err = errors.Join(err, removed(ctx, service, req.ProjectID)) // nobody asked for an empty one
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return result, &codedError{exitInterrupted, errors.New("interrupted before the service had accepted a job")}
	case errors.Is(err, client.ErrUnavailable):
		return result, &codedError{exitNoCapacity, err}
	case err != nil:
		return result, err
	}
	d.note("job " + submission.JobID)
	job := submission.Job
	if result.Job, err = follow(ctx, submission.Handle, d, nil); err != nil {
		return result, err
	}
	switch completed := result.Job.Status == api.JobCompleted; {
	case completed && o.dir != "":
		err = result.unpack(ctx, service, job, o.dir, o.force)
	case completed:
		d.note(fmt.Sprintf("To unpack the game:  svc download %s -p %s -o DIR", job.ID, job.ProjectID))
	}
	if err == nil && o.publish && result.Job.Status == api.JobCompleted {
		made, refused := submission.Publish(ctx)
		if refused != nil {
			return result, fmt.Errorf("the game of %s is done but not published: %w", job.ID, refused)
		}
		result.Address = service.Address(made.Path)
	}
	return result, err
}

// acceptsNothing reports whether a refusal of a submission is one that leaves no job. After
// any other, like that of an earlier attempt which is under way, there may be one.
func acceptsNothing(err error) bool {
	return slices.ContainsFunc([]error{client.ErrBadRequest, client.ErrUnauthorized, client.ErrForbidden, client.ErrLimitExceeded},
		func(kind error) bool { return errors.Is(err, kind) })
}

// removed deletes a project that was made for a job which the service refused.
func removed(ctx context.Context, service *client.Client, project string) error {
	if err := service.DeleteProject(ctx, project); err != nil {
		return fmt.Errorf("deleting the empty project %s: %w", project, err)
	}
	return nil
}

// request builds the submission and checks it as the service will.
func (o *generateOptions) request(stdin io.Reader, brief string) (api.GenerateRequest, error) {
	req := api.GenerateRequest{ProjectID: o.project, Prompt: brief}
	if brief == "-" {
		text, err := io.ReadAll(stdin)
		if err != nil {
			return req, fmt.Errorf("reading brief: %w", err)
		}
		req.Prompt = string(text)
	}
	if strings.TrimSpace(req.Prompt) == "" {
		return req, errors.New("the brief is empty")
	}
	if o.instructions != "" {
		text, err := os.ReadFile(o.instructions)
		if err != nil {
			return req, fmt.Errorf("reading instructions: %w", err)
		}
		instructions := string(text)
		req.Instructions = &instructions
	}
	err := checkGiven(o.project)
	if err != nil {
		return req, err
	}
	req.Settings, err = parseSettings(o.settings)
	return req, err
}

// projectName is --name or the start of the brief.
func (o *generateOptions) projectName(prompt string) string {
	if o.name != "" {
		return o.name
	}
	name := strings.Join(strings.Fields(printable(prompt)), " ")
	return shorten(name, 60)
}

// text is the result for people: what changed, what the game lacks, and where it
// is: for players, and on this machine.
func (g generated) text() string {
	var lines []string
	if g.Changes != nil {
		lines = g.Changes.lines()
	}
	lines = append(lines, unmetLines(g.Job)...)
	if g.Address != "" {
		lines = append(lines, printable(g.Address))
	}
	place := cmp.Or(g.Index, g.Directory, fmt.Sprintf("%s %s", g.Job.JobID, g.Job.Status))
	return strings.Join(append(lines, place), "\n")
}
