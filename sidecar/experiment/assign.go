// Package experiment assigns players to variants and says what a difference between
// them is worth. It keeps nothing.
package experiment

import (
	"hash/fnv"
	"strconv"
)

// Buckets is how many there are: a weight is a number of them.
const Buckets = 10_000

// Bucket returns where a player is in an experiment: always the same, and of another
// experiment independent of it. It is GrowthBook's second hash, whose test vectors it
// passes.
func Bucket(salt, player string) int {
	inner := sum(salt + player)
	return int(sum(strconv.FormatUint(uint64(inner), 10)) % Buckets)
}

func sum(text string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(text)) // never fails
	return h.Sum32()
}

// Variant is one value of an experiment's parameter.
type Variant struct {
	Value  string `json:"value"`
	Weight int    `json:"weight"` // of Buckets
}

// Assign returns the value that a player gets, false for none: weights may leave
// players out.
func Assign(salt, player string, variants []Variant) (string, bool) {
	at, from := Bucket(salt, player), 0
	for _, v := range variants {
		if from += v.Weight; at < from {
			return v.Value, true
		}
	}
	return "", false
}

// Even returns variants of the same weight, which differ by one bucket where they must.
func Even(values []string) []Variant {
	variants := make([]Variant, len(values))
	for i, value := range values {
		variants[i] = Variant{value, Buckets*(i+1)/len(values) - Buckets*i/len(values)}
	}
	return variants
}
