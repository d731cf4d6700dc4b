package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

// keyPair names the files of a pair of keys.
type keyPair struct {
	Private string `json:"private"`
	Public  string `json:"public"`
}

func policyKeyCommand(o *localOptions) *cobra.Command {
	return command(o, "key NAME", "Make a pair of keys: NAME.pem to sign policies with, NAME.pub.pem for the service to check them with",
		cobra.ExactArgs(1), func(_ context.Context, args []string) (keyPair, error) {
			names := keyPair{args[0] + ".pem", args[0] + ".pub.pem"}
			private, public, err := bundle.NewKeyPair()
			if err != nil {
				return names, err
			}
			if err := writeNew(names.Private, private, 0o600); err != nil {
				return names, err
			}
			if err := writeNew(names.Public, public, 0o644); err != nil {
				return names, errors.Join(err, os.Remove(names.Private)) // one half is of no use
			}
			return names, nil
		}, func(w io.Writer, names keyPair) {
			fmt.Fprintf(w, "private key, keep it secret: %s\npublic key, the service's SVC_POLICY_KEY: %s\n", names.Private, names.Public)
		})
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

// signature is what svc policy sign prints as JSON.
type signature struct {
	File string `json:"signature"`
}

func policySignCommand(o *localOptions) *cobra.Command {
	var key string
	c := command(o, "sign DIR --key FILE", "Sign the policy in a directory, as opa sign does", cobra.ExactArgs(1),
		func(_ context.Context, args []string) (signature, error) {
			done := signature{filepath.Join(args[0], bundle.SignaturesFile)}
			if err := checkDirectory(args[0]); err != nil {
				return done, err
			}
			files, err := bundle.ReadDir(os.DirFS(args[0]))
			if err != nil {
				return done, err
			}
			if err := sign(files, key); err != nil {
				return done, err
			}
			if err := os.WriteFile(done.File, files[bundle.SignaturesFile], 0o644); err != nil {
				return done, fmt.Errorf("writing signature: %w", err)
			}
			return done, nil
		}, func(w io.Writer, done signature) { fmt.Fprintln(w, done.File) })
	c.Flags().StringVar(&key, "key", "", "private key in PEM, or a shared secret")
	require(c, "key")
	return c
}

// sign signs a policy with the key in a file.
func sign(files bundle.Snapshot, key string) error {
	signing, err := bundle.ReadSigningKey(key)
	if err != nil {
		return err
	}
	return files.Sign(signing)
}

// bundled is what svc policy bundle prints as JSON.
type bundled struct {
	File     string `json:"file"`
	Revision string `json:"revision"`
	Sequence int64  `json:"sequence"`
	Signed   bool   `json:"signed"`
}

func policyBundleCommand(o *localOptions) *cobra.Command {
	var key, out string
	var sequence int64
	c := command(o, "bundle DIR -o FILE [--key FILE]", "Pack a policy, tests included, into a bundle in OPA's format", cobra.ExactArgs(1),
		func(ctx context.Context, args []string) (bundled, error) {
			done := bundled{File: out, Sequence: sequence, Signed: key != ""}
			if !isBundle(out) {
				return done, misused("a bundle is known by its name: --output must end in .tar.gz or .tgz, is %s", out)
			}
			files, err := o.files(ctx, args[0])
			if err != nil {
				return done, err
			}
			if err := done.number(files); err != nil {
				return done, err
			}
			if done.Signed {
				if err := sign(files, key); err != nil {
					return done, err
				}
			}
			return done, writeBundle(out, files)
		}, func(w io.Writer, done bundled) {
			signed := "not signed"
			if done.Signed {
				signed = "signed"
			}
			fmt.Fprintf(w, "%s: revision %s, sequence %d, %s\n", done.File, done.Revision, done.Sequence, signed)
		})
	c.Long = `Pack a policy, tests included, into a bundle in OPA's format, and sign it. The
bundle's sequence is the one of the .manifest in DIR, else the time: a service
does not go back to a lower one by itself.`
	c.Flags().StringVarP(&out, "output", "o", "", "the bundle's file, *.tar.gz")
	c.Flags().StringVar(&key, "key", "", "private key in PEM, or a shared secret")
	c.Flags().Int64Var(&sequence, "sequence", 0, "the bundle's sequence, from 1")
	require(c, "output")
	return c
}

// number writes the manifest: the revision of the rules, and the sequence.
func (b *bundled) number(files bundle.Snapshot) error {
	e, err := policy.NewEvaluator(files)
	if err != nil {
		return err
	}
	manifest, err := files.Manifest()
	if err != nil {
		return err
	}
	b.Revision = e.Revision()
	b.Sequence = cmp.Or(b.Sequence, manifest.Metadata.Sequence, time.Now().Unix())
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
