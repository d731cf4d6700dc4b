package commands

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/keys"
	"github.com/svc-games/svc/sidecar/tables"
)

func userStatementCommand(o *localOptions) *cobra.Command {
	c := &cobra.Command{
		Use:     "statement ID",
		Short:   "Show every credit and charge of a user, oldest first",
		Example: "  svc admin user statement alice --csv > alice.csv",
		Args:    cobra.ExactArgs(1),
	}
	asCSV := csvFlag(c)
	keyID := c.Flags().String("key", "", "only the charges of this key")
	c.RunE = func(c *cobra.Command, args []string) error {
		if err := o.checkOneForm(*asCSV); err != nil {
			return err
		}
		st, err := o.statement(c.Context(), args[0], *keyID)
		switch {
		case err != nil && *keyID != "":
			return advise(err, http.StatusNotFound, listKeys)
		case err != nil:
			return adviseUser(err, args[0])
		}
		if *asCSV {
			return tables.WriteCSV(c.OutOrStdout(), tables.StatementHeader, tables.Statement(st.Entries, tables.Time))
		}
		return o.print(c, st, nil, func(w io.Writer) { printStatement(w, st) })
	}
	return c
}

// statement reads all pages of a statement.
func (o *localOptions) statement(ctx context.Context, userID, keyID string) (keys.Statement, error) {
	client := o.client()
	st, err := client.Statement(ctx, userID, keyID, "")
	if err != nil {
		return st, err
	}
	for st.Next != "" {
		page, err := client.Statement(ctx, userID, keyID, st.Next)
		if err != nil {
			return st, err
		}
		page.Entries = append(st.Entries, page.Entries...)
		st = page
	}
	return st, nil
}

func printStatement(w io.Writer, st keys.Statement) {
	header := make([]string, len(tables.StatementHeader))
	for i, name := range tables.StatementHeader {
		header[i] = strings.ToUpper(name)
	}
	printTable(w, append([][]string{header}, tables.Statement(st.Entries, printTime)...))
	fmt.Fprintf(w, "\nbalance now: %s TIK\n", st.Balance)
}
