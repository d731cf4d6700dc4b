package commands

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var update = flag.Bool("update", false, "write docs/cli.md")

const pageHead = `# svc, the command line

<!-- Written by go test ./cmd/svc/commands -run CommandsPage -update -->

Results go to standard output, everything for people to standard error; with ` + "`--json`" + ` a result is JSON.
Exit codes: 0 ok, 1 error, 2 wrong usage, 4 the API key is not accepted, 5 the job failed, 6 the job was cancelled,
7 a limit of the key is hit, 8 the engine did not start in time, 130 interrupted.
` + "`svc completion bash|zsh|fish|powershell`" + ` prints what completes commands, projects, jobs and settings in a shell.

Commands that talk to /v1 take ` + "`--base-url`" + ` (` + "`$SVC_BASE_URL`" + `), ` + "`--api-key-file`" + ` (` + "`$SVC_API_KEY`" + `) and ` + "`--json`" + `; these are left out below.
`

// ofEach are flags that the head of the page speaks of.
var ofEach = []string{"base-url", "api-key-file", "json", "help", "version"}

func writeCommand(out *strings.Builder, c *cobra.Command) {
	if c.Name() == "help" || c.Name() == "completion" {
		return
	}
	what := c.Long
	if what == "" {
		what = c.Short + "."
	}
	fmt.Fprintf(out, "\n## %s\n\n%s\n", c.CommandPath(), what)
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if !slices.Contains(ofEach, f.Name) {
			flags.AddFlag(f)
		}
	})
	usages := flags.FlagUsages()
	if !c.HasSubCommands() || usages != "" { // else its usage is that of those below it
		fmt.Fprintf(out, "\n```\n%s\n", c.UseLine())
		for _, part := range []string{strings.TrimRight(usages, "\n"), c.Example} {
			if part != "" {
				fmt.Fprintf(out, "\n%s\n", part)
			}
		}
		out.WriteString("```\n")
	}
	for _, sub := range c.Commands() {
		writeCommand(out, sub)
	}
}

func TestCommandsPageIsThatOfTheCommands(t *testing.T) {
	for _, one := range os.Environ() {
		if name, _, _ := strings.Cut(one, "="); strings.HasPrefix(name, "SVC_") {
			t.Setenv(name, "") // defaults are those without
		}
	}
	var page strings.Builder
	page.WriteString(pageHead)
	for _, c := range newRoot().Commands() {
		writeCommand(&page, c)
	}
	const file = "../../../docs/cli.md"
	if *update {
		if err := os.WriteFile(file, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if written, err := os.ReadFile(file); err != nil || string(written) != page.String() {
		t.Errorf("docs/cli.md is not that of the commands (%v): write it with -update", err)
	}
}
