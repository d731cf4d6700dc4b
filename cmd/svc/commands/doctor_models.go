package commands

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/cmd/svc/doctor"
	"github.com/svc-games/svc/engine-proxy/egress"
)

// doctorModelsCommand calls the models that engines may call.
func doctorModelsCommand(asJSON *bool) *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "models [MODEL...]",
		Short: "Call each model that writes, and print what it can",
		Long: `Call each model that writes, or the named ones, six times: plain, streamed,
with a tool, with two, with a picture and with a long text. The row at the end
is for "models" in the file of SVC_EGRESS. The provider bills the calls; no
user is charged.`,
		RunE: func(c *cobra.Command, names []string) error {
			if file == "" {
				return errors.New("no models are configured: give their file with --egress or SVC_EGRESS")
			}
			config, err := egress.ReadConfig(file)
			if err != nil {
				return err
			}
			return probeModels(c, config, names, *asJSON)
		},
	}
	c.Flags().StringVar(&file, "egress", os.Getenv("SVC_EGRESS"), "file of the models that engines may call ($SVC_EGRESS)")
	return c
}

func probeModels(c *cobra.Command, config egress.Config, names []string, asJSON bool) error {
	var all []egress.Probed
	works := true
	err := config.Probe(c.Context(), names, func(p egress.Probed) {
		all = append(all, p)
		works = works && p.Works()
		if !asJSON {
			printProbed(c.OutOrStdout(), p)
		}
	})
	if err != nil {
		return err
	}
	if asJSON {
		if err := printJSON(c.OutOrStdout(), all); err != nil {
			return err
		}
	}
	switch {
	case len(all) == 0:
		return errors.New("the configuration has no model that writes")
	case !works:
		return errors.New("a model can't be used: see the failed checks")
	}
	return nil
}

func printProbed(w io.Writer, p egress.Probed) {
	fmt.Fprintf(w, "%s at %s\n", p.Model, p.Endpoint)
	for _, f := range p.Found {
		k := doctor.Check{Name: f.Call, Required: f.Call == "plain" || f.Call == "stream", OK: f.OK, Found: f.Says, Advice: f.Advice}
		fmt.Fprintln(w, k)
	}
	if f := p.Default; f != nil {
		fmt.Fprintln(w, doctor.Check{Name: f.Call, OK: f.OK, Found: f.Says, Advice: f.Advice})
	}
	fmt.Fprintf(w, "row   %s\n", p.Row)
}
