// Package store keeps what the sidecar must not lose, in one SQL database:
// users, keys, projects, jobs, the ledger's counters and its entries. It has
// transactions, migrations and the audit log; the statements are those of packages
// ledger, keys, projects, sessions and service.
//
// SQLite has one writer, which commits many operations with one fsync, so that
// a durable write costs its callers a share of a disk flush and not a flush
// each. On PostgreSQL, which other sidecars write to as well, each operation is
// a transaction of its own on one of several connections; PostgreSQL itself
// flushes those that commit together at once. Reads run beside the writes on
// connections of their own, each on one consistent snapshot.
//
// SQL is written for SQLite and PostgreSQL alike: "?" for arguments, ON
// CONFLICT, RETURNING, no dialect's functions; a step of the schema that can't be
// is a file for each. Times are integers, UTC milliseconds; amounts of TIK are
// integers, micro-TIK.
//
// An operation may rely on what it has locked and on nothing else: an UPDATE
// locks the rows it changes, Tx.Lock those it names. Locks are taken in one
// order, so that operations wait for each other but never in a circle: user or
// feed, keys by id, project, then what belongs to them, and the heads of logs
// last.
package store
