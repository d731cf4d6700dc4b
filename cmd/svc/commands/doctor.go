package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
)

// check is one question of svc doctor and its answer.
type check struct {
	Name     string `json:"name"`
	Required bool   `json:"required"`
	OK       bool   `json:"ok"`
	Found    string `json:"found"`
	Advice   string `json:"advice,omitempty"` // what to do; set when OK is false
}

// doctorTime bounds the checks of the parts and of the address, together, and again
// that of PostgreSQL, which a part without an answer leaves time. The ledger's
// comes after it: see ledgerTime.
const doctorTime = 10 * time.Second

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
			ctx, cancel := context.WithTimeout(c.Context(), doctorTime)
			defer cancel()
			checks := append(policyCheck(ctx, o), checkDataDir(o.dataDir), checkDisk(o.dataDir, diskFree))
			checks = append(checks, partChecks(ctx, o.dataDir, filepath.Dir(program))...)
			checks = append(checks, checkAddress(ctx, cmp.Or(os.Getenv("SVC_ADDRESS"), defaultAddress), answerTime), checkChromium())
			checks = append(checks, storeChecks(c.Context(), o.dataDir)...)
			if deep {
				checks = append(checks, deepChecks(c.Context(), o.dataDir)...)
			}
			return report(c, o.json, checks)
		},
	}
	o.register(c)
	c.Flags().BoolVar(&deep, "deep", false, "also read the whole archive and all kept policies, as after a restore")
	c.AddCommand(doctorModelsCommand(&o.json))
	return c
}

// Names of drivers whose packages would bring more with them than a check needs.
const (
	processDriver    = "process"
	kubernetesDriver = "kubernetes"
)

// report prints the checks, one line each, and returns an error when a
// required one failed.
func report(c *cobra.Command, asJSON bool, checks []check) error {
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
			fmt.Fprintln(c.OutOrStdout(), k.line())
		}
	}
	if failed {
		return errors.New("the service can't run well here: see the failed checks")
	}
	return nil
}

func (k check) line() string {
	mark := "ok  "
	switch {
	case !k.OK && k.Required:
		mark = "FAIL"
	case !k.OK:
		mark = "no  "
	}
	line := fmt.Sprintf("%s  %s: %s", mark, k.Name, k.Found)
	if k.Advice != "" {
		line += "; " + k.Advice
	}
	return line
}
