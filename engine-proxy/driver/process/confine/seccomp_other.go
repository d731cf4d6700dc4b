//go:build !amd64 && !arm64

package confine

// auditArch is 0 where there is no filter.
const auditArch = 0
