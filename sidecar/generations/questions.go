package generations

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/svc-games/svc/sidecar/store"
)

const (
	// present is how recently a sidecar must have reported to be asked.
	present = 15 * time.Second
	// forgotten is when a question is removed that nobody withdrew.
	forgotten = time.Minute
)

// Ask implements activation.Shared.
func (g *Generations) Ask(ctx context.Context, name string, question []byte) (id string, others []string, err error) {
	id = rand.Text()
	err = g.store.Update(ctx, func(tx *store.Tx) error {
		now, err := tx.Now(nil)
		if err != nil {
			return err
		}
		others, err = store.All(&tx.Reader, store.Column[string],
			"SELECT name FROM policy_sidecars WHERE name <> ? AND seen_at >= ? ORDER BY name", name, now.Add(-present).UnixMilli())
		if err != nil {
			return err
		}
		if err := forget(tx, "asked_at < ?", now.Add(-forgotten).UnixMilli()); err != nil || len(others) == 0 {
			return err
		}
		_, err = tx.Exec("INSERT INTO policy_questions (id, asker, question, asked_at) VALUES (?, ?, ?, ?)", id, name, string(question), now.UnixMilli())
		return err
	})
	if err != nil {
		err = fmt.Errorf("asking the other sidecars: %w", err)
	}
	return id, others, err
}

// forget removes questions with their answers.
func forget(tx *store.Tx, which string, arg any) error {
	for _, statement := range []string{
		"DELETE FROM policy_answers WHERE question IN (SELECT id FROM policy_questions WHERE " + which + ")",
		"DELETE FROM policy_questions WHERE " + which,
	} {
		if _, err := tx.Exec(statement, arg); err != nil {
			return err
		}
	}
	return nil
}

// Asked implements activation.Shared.
func (g *Generations) Asked(ctx context.Context, name string) (map[string][]byte, error) {
	return g.texts(ctx, `SELECT id, question FROM policy_questions q WHERE asker <> ? AND NOT EXISTS
		(SELECT 1 FROM policy_answers a WHERE a.question = q.id AND a.sidecar = ?)`, name, name)
}

// Answer implements activation.Shared.
func (g *Generations) Answer(ctx context.Context, id, name string, answer []byte) error {
	err := g.store.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO policy_answers (question, sidecar, answer) SELECT id, ?, ? FROM policy_questions WHERE id = ?
			ON CONFLICT (question, sidecar) DO NOTHING`, name, string(answer), id)
		return err
	})
	if err != nil {
		err = fmt.Errorf("answering another sidecar: %w", err)
	}
	return err
}

// Answers implements activation.Shared.
func (g *Generations) Answers(ctx context.Context, id string, known []string) (map[string][]byte, error) {
	answers := map[string][]byte{}
	err := g.store.View(store.Unhurried(ctx), func(r *store.Reader) error {
		names, err := store.All(r, store.Column[string], "SELECT sidecar FROM policy_answers WHERE question = ?", id)
		if err != nil {
			return err
		}
		for _, name := range names {
			if slices.Contains(known, name) {
				continue
			}
			var text string
			if err := r.Row("SELECT answer FROM policy_answers WHERE question = ? AND sidecar = ?", id, name).Scan(&text); err != nil {
				return err
			}
			answers[name] = []byte(text)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading what other sidecars answer: %w", err)
	}
	return answers, nil
}

// Withdraw implements activation.Shared.
func (g *Generations) Withdraw(ctx context.Context, id string) error {
	err := g.store.Update(ctx, func(tx *store.Tx) error { return forget(tx, "id = ?", id) })
	if err != nil {
		err = fmt.Errorf("withdrawing a question: %w", err)
	}
	return err
}

func (g *Generations) texts(ctx context.Context, query string, args ...any) (map[string][]byte, error) {
	texts := map[string][]byte{}
	err := g.store.View(ctx, func(r *store.Reader) error {
		return r.Each(func(scan store.Scan) error {
			var id, text string
			err := scan(&id, &text)
			texts[id] = []byte(text)
			return err
		}, query, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("reading what other sidecars ask: %w", err)
	}
	return texts, nil
}
