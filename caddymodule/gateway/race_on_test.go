//go:build race

package gateway

const raceDetector = true
