// Command svc is the command line of the service: it generates games, and
// administers users, keys and engines.
package main

import (
	"os"

	"github.com/svc-games/svc/cmd/svc/commands"
)

func main() { os.Exit(commands.Execute(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
