// Package admin is the administrators' API for users, keys, projects and the policy: HTTP
// with JSON bodies over a Unix socket, and its client. Only the service's own user and root get in,
// and only with the token that lies beside the socket: a driver that hides the
// file from engines hides the API from them, even when they share the user. Who asked is in the audit log.
//
//	POST /users                 {id, tik}            a user
//	GET  /users/{id}
//	POST /users/{id}/topup      {tik, reference?}
//	POST /users/{id}/suspend, /users/{id}/resume
//	PATCH /users/{id}/attributes      {set}          null removes one
//	GET  /users/{id}/statement?key=ID&after=CURSOR   what moved the balance
//	POST /users/{id}/login-link {}                   signs in to the console once
//	GET  /audit?key=ID&user=ID&before=SEQ            who changed what
//	POST /keys                  {userId, name, limits, scopes?, labels?}
//	GET  /keys?user=ID          all keys without user
//	GET  /keys/{id}
//	GET  /keys/{id}/usage
//	PUT  /keys/{id}/name        {name}
//	PUT  /keys/{id}/limits      {version, limits}
//	POST /keys/{id}/disable, /keys/{id}/enable, /keys/{id}/revoke
//	GET  /projects?user=ID&after=CURSOR              all projects without user
//	GET  /projects/{id}
//	PATCH /projects/{id}/attributes   {set, admin?}  null removes one; admin: of those that no owner sets
//	POST /projects/{id}/block   {why}                keeps the game from players
//	POST /projects/{id}/unblock
//	GET  /reports                                    what players say of games
//	GET, DELETE /engines/owner                       the data directory that has the engines
//	GET  /policy                                     what is active, and what was
//	GET  /policy/files?revision=ID                   the texts of a policy
//	POST /policy/activate?source=NAME&from=REVISION&older=BOOL   a bundle
//	POST /policy/approve      {revision, signature?} what waits becomes active
//	POST /policy/refuse       {revision}             what waits is forgotten
//	POST /policy/rollback     {revision}
//	GET, PUT, DELETE /policy/shadow?source=NAME&sample=R   PUT takes a bundle
package admin

import (
	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// SocketFile is the socket's name in the data directory.
const SocketFile = "admin.sock"

// maxBody bounds a request's body, in bytes.
const maxBody = 64 << 10

type userRequest struct {
	ID  string  `json:"id"`
	TIK api.TIK `json:"tik"`
}

type blockRequest struct {
	Why string `json:"why"`
}

type nameRequest struct {
	Name string `json:"name"`
}

type limitsRequest struct {
	Version int64         `json:"version"`
	Limits  policy.Limits `json:"limits"`
}

// attributesRequest sets attributes of a user or a project, with Admin those of a project
// that no owner can set; null removes one.
type attributesRequest struct {
	Set   map[string]*string `json:"set"`
	Admin bool               `json:"admin,omitempty"`
}

// rollbackRequest names a revision; "" is the policy before the active one. From is the
// revision of what it was compared with, "" for none.
type rollbackRequest struct {
	Revision string `json:"revision"`
	From     string `json:"from,omitempty"`
}

// approvalRequest names what waits, and may sign that it may follow the active one.
type approvalRequest struct {
	Revision  string `json:"revision"`
	Signature []byte `json:"signature,omitempty"`
}

type errorBody struct {
	Error string `json:"error"`
}
