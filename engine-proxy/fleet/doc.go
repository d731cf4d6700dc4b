// Package fleet runs the engines: one actor for each project starts, adopts,
// drains and stops its engine over a driver. Proxy is all of them.
package fleet
