package api

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// TIK is an amount of the platform's currency in micro-TIK. On the wire it is
// a decimal number of TIK with at most six places.
type TIK int64

// MicroPerTIK is how many micro-TIK make one TIK.
const MicroPerTIK = 1_000_000

// ParseTIK reads a decimal number of TIK with at most six places. It refuses
// negative and overflowing amounts.
func ParseTIK(s string) (TIK, error) {
	whole, frac, _ := strings.Cut(s, ".")
	if whole == "" || len(frac) > 6 || !digits(whole) || !digits(frac) || strings.HasSuffix(s, ".") {
		return 0, fmt.Errorf("%q is not an amount of TIK: want digits with at most six places", s)
	}
	n, ok := new(big.Int).SetString(whole+frac+strings.Repeat("0", 6-len(frac)), 10)
	if !ok || !n.IsInt64() {
		return 0, fmt.Errorf("%q TIK is too large an amount", s)
	}
	return TIK(n.Int64()), nil
}

// String returns the amount as a decimal number of TIK without trailing zeros.
func (t TIK) String() string {
	sign, n := "", uint64(t)
	if t < 0 {
		sign, n = "-", uint64(-t)
	}
	out := sign + strconv.FormatUint(n/MicroPerTIK, 10)
	if frac := n % MicroPerTIK; frac != 0 {
		out += "." + strings.TrimRight(fmt.Sprintf("%06d", frac), "0")
	}
	return out
}

// MarshalJSON writes the amount as a JSON number.
func (t TIK) MarshalJSON() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalJSON reads a JSON number of TIK; negative balances are accepted.
func (t *TIK) UnmarshalJSON(b []byte) error {
	s, negative := strings.CutPrefix(string(b), "-")
	n, err := ParseTIK(s)
	if err != nil {
		return err
	}
	if negative {
		n = -n
	}
	*t = n
	return nil
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
