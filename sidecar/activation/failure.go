package activation

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"go.uber.org/zap"
)

// The steps of an activation, in their order.
const (
	StepRead      = "read"      // get the files
	StepSignature = "signature" // someone we trust signed them
	StepSequence  = "sequence"  // they are not older than what was active
	StepCompile   = "compile"   // they parse and compile, entrypoint included
	StepTests     = "tests"     // their own tests pass
	StepTable     = "table"     // every input has a decision, dead keys are refused
	StepWarmUp    = "warm-up"   // a decision comes in time
	StepCompare   = "compare"   // how much they change can be counted
	StepConfirm   = "confirm"   // the change is in the audit log
	StepKeep      = "keep"      // the files are on disk
)

// Steps returns all of them, in their order.
func Steps() []string {
	return []string{
		StepRead, StepSignature, StepSequence, StepCompile, StepTests, StepTable, StepWarmUp, StepCompare, StepConfirm, StepKeep,
	}
}

// advice says what to do when a step fails.
var advice = map[string]string{
	StepRead:      "see that the source is there and can be read",
	StepSignature: "sign it with the other half of the service's key: svc policy bundle DIR -o FILE --key KEY, or svc policy sign DIR --key KEY for a directory",
	StepSequence:  "give it a higher sequence with svc policy bundle, or go back on purpose with svc policy rollback or svc policy activate --older",
	StepCompile:   "correct the file, and prove it with svc policy verify DIR",
	StepTests:     "see svc policy test DIR; a policy without tests is not accepted",
	StepTable:     "see svc policy table DIR; every input needs a decision, and only live keys may do something",
	StepWarmUp:    "see svc policy verify DIR, its step cost",
	StepCompare:   "see that the decision log can be read",
	StepConfirm:   "see that the store can be written to",
	StepKeep:      "see that the data directory can be written to",
}

// errCut is the error, wrapped, of a step that was not let come to its end.
var errCut = errors.New("it took too long, or the service stopped")

// Failure is why a policy was not activated.
type Failure struct {
	Step string
	Err  error
}

func (f *Failure) Error() string { return "step " + f.Step + ": " + f.Err.Error() }
func (f *Failure) Unwrap() error { return f.Err }

// Advice says what to do about it.
func (f *Failure) Advice() string {
	switch {
	case f == nil:
		return ""
	case errors.Is(f.Err, ErrMeanwhile):
		return "look at it with svc policy status, and try again"
	}
	return advice[f.Step]
}

// lasting reports whether the same files would fail again.
func (f *Failure) lasting() bool {
	if errors.Is(f.Err, errCut) {
		return false
	}
	switch f.Step {
	case StepRead, StepWarmUp, StepCompare, StepConfirm, StepKeep:
		return false
	}
	return true
}

// place finds a file and line of a policy in an error.
var place = regexp.MustCompile(`([^\s:]+\.rego):(\d+)`)

// Place returns where the failure is; "" and 0 when it is nowhere in
// particular.
func (f *Failure) Place() (file string, line int) {
	found := place.FindStringSubmatch(f.Err.Error())
	if found == nil {
		return "", 0
	}
	line, err := strconv.Atoi(found[2])
	if err != nil {
		return "", 0
	}
	return found[1], line
}

// fields describes the failure in a log.
func (f *Failure) fields() []zap.Field {
	fields := []zap.Field{zap.String("step", f.Step)}
	if file, line := f.Place(); file != "" {
		fields = append(fields, zap.String("file", file), zap.Int("line", line))
	}
	return append(fields, zap.Error(f.Err), zap.String("advice", f.Advice()))
}

// failed returns the failure of a step; its findings are one error a line.
func failed(step string, findings ...string) *Failure {
	return &Failure{Step: step, Err: errors.New(strings.Join(findings, "\n"))}
}
