package api

// Reasons of a refusal, as they stand in an error body.
const (
	ReasonMissing       = "missing"
	ReasonInvalid       = "invalid"
	ReasonDisabled      = "disabled"
	ReasonRevoked       = "revoked"
	ReasonLimitExceeded = "limit_exceeded"
)

// Names of the per-key limits, in the order in which they are checked.
const (
	LimitJobsPerDay        = "jobsPerDay"
	LimitJobsPerMonth      = "jobsPerMonth"
	LimitMaxConcurrentJobs = "maxConcurrentJobs"
	LimitTIKPerMonth       = "tikPerMonth"
)
