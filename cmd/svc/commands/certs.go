package commands

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/cmd/svc/certs"
)

func certsCommand() *cobra.Command {
	return group("certs", "Make the certificates of parts on several hosts", certsInitCommand(), certsRenewCommand())
}

func certsInitCommand() *cobra.Command {
	var hosts []string
	c := &cobra.Command{
		Use:   "init DIR [--host PART=HOST …]",
		Short: "Make an authority, and certificates for gateway, sidecar, engines and monitor",
		Long: `Make an authority in a new folder and, valid for a year, certificates for gateways (gateway),
sidecars (sidecar), engine proxies (engines) and Prometheus (monitor). Copy ca.pem and the two
files of its part to each host; ca.key belongs on none of them. --host adds a name or address to
a part's certificate, or makes a certificate for a part with another name.`,
		Example: "  svc certs init certs --host sidecar=10.0.0.5 --host engines=engines.internal",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			all := make(map[string][]string)
			for _, name := range certs.Parts {
				all[name] = nil
			}
			for _, one := range hosts {
				name, host, found := strings.Cut(one, "=")
				if !found || name == "" || host == "" {
					return misused("--host is PART=HOST, not %q", one)
				}
				all[name] = append(all[name], host)
			}
			made, err := certs.Init(args[0], all, time.Now())
			if errors.Is(err, certs.ErrThere) {
				err = fmt.Errorf("%w: svc certs renew makes new ones of the same names", err)
			}
			return printCerts(c, made, err)
		},
	}
	c.Flags().StringArrayVar(&hosts, "host", nil, "another name or address of a part; may be repeated")
	return c
}

func certsRenewCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "renew DIR",
		Short: "Renew the certificates and keys; parts read them without a restart",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			made, err := certs.Renew(args[0], time.Now())
			return printCerts(c, made, err)
		},
	}
}

func printCerts(c *cobra.Command, made []certs.Part, err error) error {
	if err != nil {
		return err
	}
	return written(c.OutOrStdout(), func(w io.Writer) {
		rows := [][]string{{"PART", "UNTIL", "FURTHER NAMES"}}
		for _, p := range made {
			rows = append(rows, []string{p.Name, p.Until.Format(time.DateOnly), strings.Join(p.Hosts, " ")})
		}
		printTable(w, rows)
	})
}
