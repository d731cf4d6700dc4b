package commands

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/projects"
)

func projectCommand(o *adminOptions) *cobra.Command {
	return group("project", "List projects, and set attributes for the policy", projectListCommand(o), projectAttributesCommand(o))
}

func projectListCommand(o *adminOptions) *cobra.Command {
	var userID string
	c := &cobra.Command{
		Use:   "list",
		Short: "List projects, newest first",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			list, err := o.projects(c.Context(), userID)
			return o.print(c, list, err, func(w io.Writer) { printProjectDetails(w, list) })
		},
	}
	c.Flags().StringVar(&userID, "user", "", "only projects of this user")
	return c
}

// projects reads all pages.
func (o *adminOptions) projects(ctx context.Context, userID string) ([]projects.Details, error) {
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

func projectAttributesCommand(o *adminOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "attributes ID [NAME=VALUE...]",
		Short: "Show or set the attributes of a project, facts for the policy; NAME= removes one",
		Example: `  svc admin project attributes 6b1f… readers=alice,bob
  svc admin project attributes 6b1f… readers=`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			set := map[string]*string{}
			for _, pair := range args[1:] {
				name, value, found := strings.Cut(pair, "=")
				if !found {
					return &codedError{exitUsage, fmt.Errorf("%q is not of the form NAME=VALUE", pair)}
				}
				set[name] = nil
				if value != "" {
					set[name] = &value
				}
			}
			var details projects.Details
			var err error
			if len(set) == 0 {
				details, err = o.client().Project(c.Context(), args[0])
			} else {
				details, err = o.client().SetAttributes(c.Context(), args[0], set)
			}
			err = advise(err, http.StatusNotFound, "list the projects with svc admin project list")
			return o.print(c, details, err, func(w io.Writer) { printProjectDetails(w, []projects.Details{details}) })
		},
	}
}

func printProjectDetails(w io.Writer, list []projects.Details) {
	rows := [][]string{{"ID", "OWNER", "NAME", "CREATED", "ATTRIBUTES"}}
	for _, p := range list {
		var attributes []string
		for _, name := range slices.Sorted(maps.Keys(p.Attributes)) {
			attributes = append(attributes, name+"="+p.Attributes[name])
		}
		rows = append(rows, []string{p.ID, p.OwnerID, p.Name, printTime(p.CreatedAt), strings.Join(attributes, " ")})
	}
	printTable(w, rows)
}
