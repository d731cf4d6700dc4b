package driver

// Capabilities is what a driver keeps its engines from. Each that is claimed
// is proven from inside an engine by the suite in drivertest.
type Capabilities struct {
	// Users: engines of different projects run as different users.
	Users bool
	// Files: an engine reads and writes nothing but its own volume and runtime
	// directory, reads what it is made of, and connects to no Unix socket that
	// has no file.
	Files bool
	// Processes: an engine neither signals nor looks into processes that it
	// did not start.
	Processes bool
	// Network: an engine reaches no network, its own machine's included.
	Network bool
	// Privileges: an engine has no capability and can't gain any.
	Privileges bool
	// Memory and PIDs: an engine that takes more than its limit is stopped or
	// refused, and others don't notice.
	Memory, PIDs bool
}

// Separates reports whether engines of different owners may run side by side:
// none gets at what another one keeps.
func (c Capabilities) Separates() bool { return (c.Users || c.Files) && c.Processes }
