package commands

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/cmd/svc/doctor"
)

func doctorCommand() *cobra.Command {
	o := new(localOptions)
	var deep bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check that this machine can run the service",
		Args:  cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			program, err := os.Executable()
			if err != nil {
				return fmt.Errorf("finding this program: %w", err)
			}
			ctx, cancel := context.WithTimeout(c.Context(), doctor.Time)
			defer cancel()
			checks := append(policyCheck(ctx, o), doctor.Machine(ctx, o.dataDir, filepath.Dir(program))...)
			checks = append(checks, doctor.Store(c.Context(), o.dataDir)...)
			if deep {
				checks = append(checks, doctor.Deep(c.Context(), o.dataDir)...)
			}
			return report(c, o.json, checks)
		},
	}
	o.register(c)
	c.Flags().BoolVar(&deep, "deep", false, "also read the whole archive and all kept policies, as after a restore")
	c.AddCommand(doctorModelsCommand(&o.json))
	return c
}

// report prints the checks, one line each, and returns an error when a
// required one failed.
func report(c *cobra.Command, asJSON bool, checks []doctor.Check) error {
	failed := false
	for _, k := range checks {
		failed = failed || k.Required && !k.OK
	}
	if asJSON {
		if err := printJSON(c.OutOrStdout(), checks); err != nil {
			return err
		}
	} else {
		for _, k := range checks {
			fmt.Fprintln(c.OutOrStdout(), k)
		}
	}
	if failed {
		return errors.New("the service can't run well here: see the failed checks")
	}
	return nil
}
