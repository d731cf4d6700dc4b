package commands

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/svc-games/svc/policy"
	"github.com/svc-games/svc/policy/bundle"
)

// Names of policies where a directory or a bundle is expected.
const (
	embeddedPolicy = "embedded" // the one that svc was built with
	activePolicy   = "active"   // the one that the running service decides by
)

func policyCommand() *cobra.Command {
	o := new(localOptions)
	c := group("policy", "Verify a policy, activate it in a running service, and roll it back",
		policyVerifyCommand(o),
		policyTestCommand(o),
		policyFormatCommand(o),
		policyTableCommand(o),
		policyDiffCommand(o),
		policyLogCommand(o),
		policyReplayCommand(o),
		policyExplainCommand(o),
		policyKeyCommand(o),
		policySignCommand(o),
		policyBundleCommand(o),
		policyStatusCommand(o),
		policyShadowCommand(o),
		policyActivateCommand(o),
		policyApproveCommand(o),
		policyRollbackCommand(o),
	)
	o.register(c)
	return c
}

// open opens a policy: a directory, a bundle (.tar.gz), the one that svc was
// built with, or the one of the running service.
func (o *localOptions) open(ctx context.Context, name string) (fs.FS, error) {
	switch {
	case name == embeddedPolicy:
		return policy.Embedded(), nil
	case name == activePolicy:
		return o.client().PolicyFiles(ctx, "")
	case isBundle(name):
		return readBundle(name)
	}
	isDir, err := isDirectory(name)
	if err == nil && !isDir {
		err = fmt.Errorf("%s is neither a directory nor a bundle (.tar.gz)", name)
	}
	return os.DirFS(name), err
}

func isDirectory(name string) (bool, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("there is no policy %s: name its directory, or a bundle (.tar.gz)", name)
	case err != nil:
		return false, fmt.Errorf("opening policy: %w", err)
	}
	return info.IsDir(), nil
}

// isBundle reports whether a file is a bundle, by its name.
func isBundle(name string) bool {
	return strings.HasSuffix(name, ".tar.gz") || strings.HasSuffix(name, ".tgz")
}

// checkDirectory refuses a policy that is no directory, for a command that
// writes into it.
func checkDirectory(name string) error {
	if name == embeddedPolicy || name == activePolicy || isBundle(name) {
		return misused("%s can't be written to: name the directory of a policy", name)
	}
	isDir, err := isDirectory(name)
	if err == nil && !isDir {
		err = misused("%s is not a directory: name the directory of a policy", name)
	}
	return err
}

func readBundle(name string) (bundle.Snapshot, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("opening policy: %w", err)
	}
	defer file.Close()
	return bundle.ReadArchive(file)
}

// openArgument opens the policy named by an optional argument.
func (o *localOptions) openArgument(ctx context.Context, args []string) (fs.FS, error) {
	if len(args) == 0 {
		return o.open(ctx, embeddedPolicy)
	}
	return o.open(ctx, args[0])
}

// evaluator prepares a policy.
func (o *localOptions) evaluator(ctx context.Context, name string) (*policy.Evaluator, error) {
	src, err := o.open(ctx, name)
	if err != nil {
		return nil, err
	}
	return policy.NewEvaluator(src)
}

// files reads the files of a policy that shall be sent somewhere.
func (o *localOptions) files(ctx context.Context, name string) (bundle.Snapshot, error) {
	src, err := o.open(ctx, name)
	if err != nil {
		return nil, err
	}
	if files, ok := src.(bundle.Snapshot); ok {
		return files, nil
	}
	return bundle.ReadDir(src)
}
