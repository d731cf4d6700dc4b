package commands

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/engine-proxy/egress"
)

// modelsRecordCommand calls models and keeps what they were asked and answered.
func modelsRecordCommand() *cobra.Command {
	var file string
	c := &cobra.Command{
		Use:   "record FOLDER [MODEL...]",
		Short: "Call the models like svc doctor models, and record the calls in a folder",
		Long: `Call each model that writes, or the named ones, as "svc doctor models" does, and
record each call as a cassette in a folder: without keys, and with stable words in
place of ids and encrypted parts. To record whole games, set "record" in the file
of SVC_EGRESS. The provider bills the calls; no user is charged. docs/models.md
says how to replay a cassette.`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if file == "" {
				return errors.New("no models are configured: give their file with --egress or SVC_EGRESS")
			}
			config, err := egress.ReadConfig(file)
			if err != nil {
				return err
			}
			if config.Record, err = filepath.Abs(args[0]); err != nil {
				return err
			}
			if err := probeModels(c, config, args[1:], false); err != nil {
				return err
			}
			kept, err := filepath.Glob(filepath.Join(config.Record, "*", "*.json"))
			if err != nil {
				return err
			}
			fmt.Fprintf(c.OutOrStdout(), "%d cassettes in %s\n", len(kept), config.Record)
			return nil
		},
	}
	c.Flags().StringVar(&file, "egress", os.Getenv("SVC_EGRESS"), "file of the models that engines may call ($SVC_EGRESS)")
	return c
}
