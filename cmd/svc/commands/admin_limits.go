package commands

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/policy"
)

// unlimited clears a limit; so does an empty value.
const unlimited = "unlimited"

// limitFlags are the four limits of a key as flags.
type limitFlags struct {
	jobsPerDay, jobsPerMonth, maxConcurrentJobs countLimit
	tikPerMonth                                 tikLimit
}

func (f *limitFlags) register(flags *pflag.FlagSet) {
	flags.Var(&f.jobsPerDay, "jobs-per-day", "jobs per UTC day, or unlimited")
	flags.Var(&f.jobsPerMonth, "jobs-per-month", "jobs per UTC month, or unlimited")
	flags.Var(&f.maxConcurrentJobs, "max-concurrent-jobs", "jobs queued or running at a time, or unlimited")
	flags.Var(&f.tikPerMonth, "tik-per-month", "TIK spent per UTC month, or unlimited")
}

func (f *limitFlags) given() bool {
	return f.jobsPerDay.set || f.jobsPerMonth.set || f.maxConcurrentJobs.set || f.tikPerMonth.set
}

// apply changes the limits that were given.
func (f *limitFlags) apply(l *policy.Limits) {
	if f.jobsPerDay.set {
		l.JobsPerDay = f.jobsPerDay.value
	}
	if f.jobsPerMonth.set {
		l.JobsPerMonth = f.jobsPerMonth.value
	}
	if f.maxConcurrentJobs.set {
		l.MaxConcurrentJobs = f.maxConcurrentJobs.value
	}
	if f.tikPerMonth.set {
		l.TIKPerMonth = f.tikPerMonth.value
	}
}

// countLimit is a limit in whole numbers.
type countLimit struct {
	set   bool
	value *int64
}

func (l *countLimit) Set(s string) error {
	l.set, l.value = true, nil
	if s == "" || s == unlimited {
		return nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return fmt.Errorf("want a whole number, zero or more, or %s", unlimited)
	}
	l.value = &n
	return nil
}

func (l *countLimit) String() string {
	if !l.set {
		return ""
	}
	return printCount(l.value)
}

func (l *countLimit) Type() string { return "N" }

// tikLimit is a limit in TIK.
type tikLimit struct {
	set   bool
	value *api.TIK
}

func (l *tikLimit) Set(s string) error {
	l.set, l.value = true, nil
	if s == "" || s == unlimited {
		return nil
	}
	n, err := api.ParseTIK(s)
	if err != nil {
		return err
	}
	l.value = &n
	return nil
}

func (l *tikLimit) String() string {
	if !l.set {
		return ""
	}
	return printTIK(l.value)
}

func (l *tikLimit) Type() string { return "TIK" }

// tikAmount is an amount of TIK.
type tikAmount api.TIK

func (a *tikAmount) Set(s string) error {
	n, err := api.ParseTIK(s)
	*a = tikAmount(n)
	return err
}

func (a *tikAmount) String() string { return api.TIK(*a).String() }
func (a *tikAmount) Type() string   { return "TIK" }

// Interface guards
var (
	_ pflag.Value = (*countLimit)(nil)
	_ pflag.Value = (*tikLimit)(nil)
	_ pflag.Value = (*tikAmount)(nil)
)
