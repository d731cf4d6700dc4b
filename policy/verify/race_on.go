//go:build race

package verify

// budgetPercent is how much of its budget a decision may use. With the race
// detector OPA's pools forget at random what was put back.
const budgetPercent = 200
