package commands

import (
	"context"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/sidecar/keys"
)

// defaultAudit is how many changes svc admin audit shows.
const defaultAudit = 100

func auditCommand(o *localOptions) *cobra.Command {
	var keyID, userID string
	var limit int
	c := command(o, "audit", "Show who changed which user or key, newest first", cobra.NoArgs,
		func(ctx context.Context, _ []string) ([]keys.AuditEntry, error) {
			if limit < 0 {
				return nil, misused("--limit can't be negative: want a number of changes, or 0 for all")
			}
			return o.audit(ctx, keyID, userID, limit)
		}, printAudit)
	c.Example = "  svc admin audit --user alice"
	c.Flags().StringVar(&keyID, "key", "", "only changes of this key")
	c.Flags().StringVar(&userID, "user", "", "only changes of this user and the user's keys")
	c.Flags().IntVar(&limit, "limit", defaultAudit, "how many changes at most; 0 for all")
	c.MarkFlagsMutuallyExclusive("key", "user")
	return c
}

// audit reads pages until it has limit entries, or all when that is 0.
func (o *localOptions) audit(ctx context.Context, keyID, userID string, limit int) ([]keys.AuditEntry, error) {
	client := o.client()
	entries := []keys.AuditEntry{}
	for before := int64(0); ; {
		page, err := client.Audit(ctx, keyID, userID, before)
		if err != nil {
			return nil, err
		}
		entries = append(entries, page.Entries...)
		if limit > 0 && len(entries) >= limit {
			return entries[:limit], nil
		}
		if before = page.Next; before == 0 {
			return entries, nil
		}
	}
}

func printAudit(w io.Writer, entries []keys.AuditEntry) {
	rows := [][]string{{"SEQ", "AT", "WHO", "WHAT", "SUBJECT", "DETAIL"}}
	for _, e := range entries {
		rows = append(rows, []string{
			strconv.FormatInt(e.Seq, 10), printTime(e.At), e.Actor, e.Action, e.Subject, string(e.Detail),
		})
	}
	printTable(w, rows)
}
