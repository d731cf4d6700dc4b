// Package chaos holds the tests that kill. Two harnesses do it: processes that use
// the ledger as a gateway and an engine proxy do, or keep what is played, and the service itself with real
// engines, on one machine and as a cluster of three gateways on PostgreSQL. They are
// ended with SIGKILL, at random and at named points, and afterwards the ledger must
// agree with the engines to the job. Each harness with
// a reaper that frees overdue reservations by time alone must be found out.
//
// SVC_CHAOS_KILLS says how many kills a run takes; without it a run is short.
// SVC_CHAOS_RESULTS names the page to write.
package chaos
