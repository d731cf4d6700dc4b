//go:build !linux

package streams

// watch has gone called when the client ends its connection.
func (c *connection) watch() (unwatch func()) { return c.watchAlone() }
