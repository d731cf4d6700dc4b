//go:build !race

package verify

// budgetPercent is how much of its budget a decision may use.
const budgetPercent = 100
