//go:build !amd64 && !arm64

package confine

const names = ""
