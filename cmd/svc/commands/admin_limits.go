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
	jobsPerDay, jobsPerMonth, maxConcurrentJobs limit[int64]
	tikPerMonth                                 limit[api.TIK]
}

func (f *limitFlags) register(flags *pflag.FlagSet) {
	count := func(l *limit[int64], name, usage string) {
		l.parse, l.unit = parseCount, "N"
		flags.Var(l, name, usage)
	}
	count(&f.jobsPerDay, "jobs-per-day", "jobs per UTC day, or unlimited")
	count(&f.jobsPerMonth, "jobs-per-month", "jobs per UTC month, or unlimited")
	count(&f.maxConcurrentJobs, "max-concurrent-jobs", "jobs queued or running at a time, or unlimited")
	f.tikPerMonth.parse, f.tikPerMonth.unit = api.ParseTIK, "TIK"
	flags.Var(&f.tikPerMonth, "tik-per-month", "TIK spent per UTC month, or unlimited")
}

func (f *limitFlags) given() bool {
	return f.jobsPerDay.set || f.jobsPerMonth.set || f.maxConcurrentJobs.set || f.tikPerMonth.set
}

// apply changes the limits that were given.
func (f *limitFlags) apply(l *policy.Limits) {
	f.jobsPerDay.apply(&l.JobsPerDay)
	f.jobsPerMonth.apply(&l.JobsPerMonth)
	f.maxConcurrentJobs.apply(&l.MaxConcurrentJobs)
	f.tikPerMonth.apply(&l.TIKPerMonth)
}

// limit is a flag's value: a limit, or none.
type limit[T int64 | api.TIK] struct {
	parse func(string) (T, error)
	unit  string
	set   bool
	value *T
}

func (l *limit[T]) Set(s string) error {
	l.set, l.value = true, nil
	if s == "" || s == unlimited {
		return nil
	}
	n, err := l.parse(s)
	if err == nil {
		l.value = &n
	}
	return err
}

func (l *limit[T]) apply(to **T) {
	if l.set {
		*to = l.value
	}
}

func (l *limit[T]) String() string {
	if !l.set {
		return ""
	}
	return printLimit(l.value)
}

func (l *limit[T]) Type() string { return l.unit }

func parseCount(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("want a whole number, zero or more, or %s", unlimited)
	}
	return n, nil
}

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
	_ pflag.Value = (*limit[int64])(nil)
	_ pflag.Value = (*tikAmount)(nil)
)
