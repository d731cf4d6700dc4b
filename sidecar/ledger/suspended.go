package ledger

import (
	"net/http"

	"github.com/svc-games/svc/api/answers"
)

// UserState is the SQL expression for the state of the user whose id column has:
// policy.UserActive or policy.UserSuspended. The column names its table, as
// suspensions has a user_id, too.
func UserState(column string) string {
	return "CASE WHEN EXISTS (SELECT 1 FROM suspensions WHERE user_id = " + column + ") THEN 'suspended' ELSE 'active' END"
}

// suspendedError is the refusal of a key whose user is suspended.
func suspendedError() *answers.Error {
	return &answers.Error{Status: http.StatusForbidden, Message: "This user is suspended."}
}
