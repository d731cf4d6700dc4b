package gamezip

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/svc-games/svc/api"
)

// Readme is the one file in the ZIP of a job that failed and has no game to
// deliver.
const Readme = "README.txt"

// advice says what helps after a failure, by its code.
var advice = map[api.FailureCode]string{
	api.FailureTIKExhausted: "Add TIK to the owner's balance, then submit the job again.",
	api.FailureTimeout:      "Submit the job again with a smaller brief, or with a higher settings.reasoningLevel, which allows more time.",
	api.FailureGeneration:   "Change the brief as the message says, then submit the job again.",
}

// anyway is the advice for every other code.
const anyway = "Submit the job again. If it fails again, tell the operator of the service the job's id."

// Failed returns the ZIP of a failed job that has no game to deliver: a Readme
// that says that it failed, why, and what to do; and what the job's record says of
// the ZIP. The same job gives the same bytes. Of the failure it says what the
// record shows to everyone, a nil one stands for an internal fault.
func Failed(jobID string, failure *api.Failure) ([]byte, api.Files) {
	if failure == nil {
		failure = &api.Failure{Code: api.FailureInternal, Message: "The service ended the job."}
	}
	what, known := advice[failure.Code]
	if !known {
		what = anyway
	}
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	header := &zip.FileHeader{Name: Readme, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)}
	header.SetMode(0o644)
	f, err := archive.CreateHeader(header)
	if err == nil {
		_, err = fmt.Fprintf(f, "This job failed and left no game: there is nothing to play in this archive.\n\n"+
			"Job:     %s\nError:   %s\nMessage: %s\n\nWhat to do: %s\n", jobID, failure.Code, failure.Message, what)
	}
	if err == nil {
		err = archive.Close()
	}
	if err != nil {
		panic(err) // a buffer takes everything
	}
	sum := sha256.Sum256(b.Bytes())
	return b.Bytes(), api.Files{Count: 1, Bytes: int64(b.Len()), SHA256: hex.EncodeToString(sum[:])}
}

// HasGame says whether a ZIP of so many bytes, which Check has seen, holds more
// than a Readme.
func HasGame(r io.ReaderAt, size int64) (bool, error) {
	archive, err := zip.NewReader(r, size)
	if err != nil {
		return false, fmt.Errorf("listing ZIP: %w", err)
	}
	return len(archive.File) > 1 || len(archive.File) == 1 && archive.File[0].Name != Readme, nil
}
