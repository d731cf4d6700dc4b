package commands

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

func policyKeyCommand(o *policyOptions) *cobra.Command {
	return &cobra.Command{
		Use:   "key NAME",
		Short: "Make a pair of keys: NAME.pem to sign policies with, NAME.pub.pem for the service to check them with",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			private, public, err := bundle.NewKeyPair()
			if err != nil {
				return err
			}
			names := []string{args[0] + ".pem", args[0] + ".pub.pem"}
			if err := writeNew(names[0], private, 0o600); err != nil {
				return err
			}
			if err := writeNew(names[1], public, 0o644); err != nil {
				return errors.Join(err, os.Remove(names[0])) // one half is of no use
			}
			if o.json {
				return printJSON(c.OutOrStdout(), map[string]string{"private": names[0], "public": names[1]})
			}
			fmt.Fprintf(c.OutOrStdout(), "private key, keep it secret: %s\npublic key, the service's SVC_POLICY_KEY: %s\n", names[0], names[1])
			return nil
		},
	}
}

// writeNew writes a file that is not there yet.
func writeNew(path string, text []byte, mode os.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is not overwritten: move it away, or give the key another name", path)
	}
	if err != nil {
		return fmt.Errorf("writing key: %w", err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("writing key: %w", err)
	}
	return nil
}

func policySignCommand(o *policyOptions) *cobra.Command {
	var key string
	c := &cobra.Command{
		Use:   "sign DIR --key FILE",
		Short: "Sign the policy in a directory, as opa sign does",
		Args:  cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if err := checkDirectory(args[0]); err != nil {
				return err
			}
			signing, err := bundle.ReadSigningKey(key)
			if err != nil {
				return err
			}
			files, err := bundle.ReadDir(os.DirFS(args[0]))
			if err != nil {
				return err
			}
			if err := files.Sign(signing); err != nil {
				return err
			}
			path := filepath.Join(args[0], bundle.SignaturesFile)
			if err := os.WriteFile(path, files[bundle.SignaturesFile], 0o644); err != nil {
				return fmt.Errorf("writing signature: %w", err)
			}
			if o.json {
				return printJSON(c.OutOrStdout(), map[string]string{"signature": path})
			}
			fmt.Fprintln(c.OutOrStdout(), path)
			return nil
		},
	}
	c.Flags().StringVar(&key, "key", "", "private key in PEM, or a shared secret")
	require(c, "key")
	return c
}

// bundled is what svc policy bundle prints as JSON.
type bundled struct {
	File     string `json:"file"`
	Revision string `json:"revision"`
	Sequence int64  `json:"sequence"`
	Signed   bool   `json:"signed"`
}

func policyBundleCommand(o *policyOptions) *cobra.Command {
	var key, out string
	var sequence int64
	c := &cobra.Command{
		Use:   "bundle DIR -o FILE [--key FILE]",
		Short: "Pack a policy, tests included, into a bundle in OPA's format",
		Long: `Pack a policy, tests included, into a bundle in OPA's format, and sign it. The
bundle's sequence is the one of the .manifest in DIR, else the time: a service
does not go back to a lower one by itself.`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			if !isBundle(out) {
				return &codedError{exitUsage, fmt.Errorf("a bundle is known by its name: --output must end in .tar.gz or .tgz, is %s", out)}
			}
			files, err := o.files(c.Context(), args[0])
			if err != nil {
				return err
			}
			done := bundled{File: out, Sequence: sequence, Signed: key != ""}
			if err := done.number(files); err != nil {
				return err
			}
			if key != "" {
				signing, err := bundle.ReadSigningKey(key)
				if err != nil {
					return err
				}
				if err := files.Sign(signing); err != nil {
					return err
				}
			}
			if err := writeBundle(out, files); err != nil {
				return err
			}
			if o.json {
				return printJSON(c.OutOrStdout(), done)
			}
			signed := "not signed"
			if done.Signed {
				signed = "signed"
			}
			fmt.Fprintf(c.OutOrStdout(), "%s: revision %s, sequence %d, %s\n", out, done.Revision, done.Sequence, signed)
			return nil
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "the bundle's file, *.tar.gz")
	c.Flags().StringVar(&key, "key", "", "private key in PEM, or a shared secret")
	c.Flags().Int64Var(&sequence, "sequence", 0, "the bundle's sequence, from 1")
	require(c, "output")
	return c
}

// number writes the manifest: the revision of the rules, and the sequence.
func (b *bundled) number(files bundle.Snapshot) error {
	e, err := policy.NewEvaluatorFS(files)
	if err != nil {
		return err
	}
	manifest, err := files.Manifest()
	if err != nil {
		return err
	}
	b.Revision = e.Revision()
	if b.Sequence == 0 {
		b.Sequence = manifest.Metadata.Sequence
	}
	if b.Sequence == 0 {
		b.Sequence = time.Now().Unix()
	}
	if b.Sequence < 0 {
		return fmt.Errorf("the sequence can't be %d: want a number from 1", b.Sequence)
	}
	manifest.Revision, manifest.Metadata.Sequence = b.Revision, b.Sequence
	return files.SetManifest(manifest)
}

// writeBundle puts the bundle at path in one step: a service may watch it.
func writeBundle(path string, files bundle.Snapshot) error {
	fresh := path + ".new"
	file, err := os.Create(fresh)
	if err != nil {
		return fmt.Errorf("writing bundle: %w", err)
	}
	if err = errors.Join(files.WriteArchive(file), file.Close()); err == nil {
		err = os.Rename(fresh, path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("writing bundle: %w", err), os.Remove(fresh))
	}
	return nil
}
