package answers

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"

	"github.com/svc-games/svc/api"
)

// PlayPath is where the page of a published game stands.
func PlayPath(gameID string) string { return "/play/" + gameID }

// EncodedJob is a job record as it goes over the wire.
type EncodedJob struct {
	Body []byte // one line of JSON
	ETag string // weak: the same record has the same one on every node
}

// EncodeJob returns the wire form of a job record.
func EncodeJob(job api.Job) (*EncodedJob, error) {
	body, err := json.Marshal(job)
	if err != nil {
		return nil, fmt.Errorf("encoding job record: %w", err)
	}
	sum := fnv.New64a()
	_, _ = sum.Write(body)
	tag := strconv.FormatUint(sum.Sum64(), 16)
	const digits = "0000000000000000"
	return &EncodedJob{Body: append(body, '\n'), ETag: `W/"` + digits[len(tag):] + tag + `"`}, nil
}
