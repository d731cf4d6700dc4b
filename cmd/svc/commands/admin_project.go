package commands

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/projects"
)

func projectCommand(o *localOptions) *cobra.Command {
	return group("project", "List projects, and set attributes for the policy", projectListCommand(o), projectAttributesCommand(o))
}

func projectListCommand(o *localOptions) *cobra.Command {
	var userID string
	c := command(o, "list", "List projects, newest first", cobra.NoArgs, func(ctx context.Context, _ []string) ([]projects.Details, error) {
		return o.projects(ctx, userID)
	}, printProjectDetails)
	c.Flags().StringVar(&userID, "user", "", "only projects of this user")
	return c
}

// projects reads all pages.
func (o *localOptions) projects(ctx context.Context, userID string) ([]projects.Details, error) {
	client := o.client()
	list := []projects.Details{}
	for after := ""; ; {
		page, err := client.Projects(ctx, userID, after)
		if err != nil {
			return nil, err
		}
		list = append(list, page.Projects...)
		if after = page.Next; after == "" {
			return list, nil
		}
	}
}

func projectAttributesCommand(o *localOptions) *cobra.Command {
	var ofAdmin bool
	c := command(o, "attributes ID [NAME=VALUE...]", "Show or set the attributes of a project, facts for the policy; NAME= removes one",
		cobra.MinimumNArgs(1), func(ctx context.Context, args []string) (projects.Details, error) {
			set, err := parseAttributes(args[1:])
			var details projects.Details
			switch {
			case err != nil:
				return details, err
			case len(set) == 0:
				details, err = o.client().Project(ctx, args[0])
			default:
				details, err = o.client().SetAttributes(ctx, args[0], set, ofAdmin)
			}
			return details, advise(err, http.StatusNotFound, "list the projects with svc admin project list")
		}, func(w io.Writer, p projects.Details) { printProjectDetails(w, []projects.Details{p}) })
	c.Example = `  svc admin project attributes 6b1f… readers=alice,bob
  svc admin project attributes 6b1f… readers=
  svc admin project attributes 6b1f… --admin networks=192.0.2.0/24`
	c.Flags().BoolVar(&ofAdmin, "admin", false, "set attributes that no owner can set: input.project.adminAttributes")
	return c
}

// parseAttributes reads NAME=VALUE pairs; a name without a value is nil.
func parseAttributes(pairs []string) (map[string]*string, error) {
	set := map[string]*string{}
	for _, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		if !found {
			return nil, misused("%q is not of the form NAME=VALUE", pair)
		}
		set[name] = nil
		if value != "" {
			set[name] = &value
		}
	}
	return set, nil
}

func printProjectDetails(w io.Writer, list []projects.Details) {
	rows := [][]string{{"ID", "OWNER", "NAME", "CREATED", "ATTRIBUTES", "SET BY ADMINS ALONE"}}
	for _, p := range list {
		rows = append(rows, []string{p.ID, p.OwnerID, p.Name, printTime(p.CreatedAt), printTexts(p.Attributes), printTexts(p.AdminAttributes)})
	}
	printTable(w, rows)
}
