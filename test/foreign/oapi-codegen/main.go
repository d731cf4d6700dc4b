// Command oapi-codegen goes through the whole flow with a client that oapi-codegen
// made of the document: submit, poll, read typed events, download. It prints how the
// job ended, how many events there were and should be, and the SHA-256 of the ZIP and
// that of the record. It is a module of its own, and the client is made by a test of
// test/foreign.
//
// Usage: SVC_API_KEY=KEY oapi-codegen URL
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
	"time"

	"foreign/api"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := flow(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func flow(ctx context.Context, url string) error {
	withKey := func(_ context.Context, req *http.Request) error {
		req.Header.Set("X-API-Key", os.Getenv("SVC_API_KEY"))
		return nil
	}
	client, err := api.NewClientWithResponses(url, api.WithRequestEditorFn(withKey))
	if err != nil {
		return err
	}
	project, err := client.CreateProjectWithResponse(ctx, nil, api.ProjectRequest{Name: "Duck"})
	if err != nil {
		return err
	}
	if project.JSON201 == nil {
		return fmt.Errorf("creating the project: %s %s", project.Status(), project.Body)
	}
	job, err := submit(ctx, client, project.JSON201.Data.UnderscoreId)
	if err != nil {
		return err
	}
	for {
		record, err := client.GetJobWithResponse(ctx, job.JobId, nil)
		if err != nil {
			return err
		}
		if record.JSON200 == nil {
			return fmt.Errorf("polling: %s %s", record.Status(), record.Body)
		}
		if status := record.JSON200.Status; status != api.JobStatusQueued && status != api.JobStatusRunning {
			n, err := events(ctx, client, job.JobId)
			if err != nil {
				return err
			}
			zip, err := client.DownloadFilesWithResponse(ctx, job.JobId, nil)
			if err != nil {
				return err
			}
			fmt.Printf("%s %d %d %x %s\n", status, n, record.JSON200.LastEventId, sha256.Sum256(zip.Body), record.JSON200.Files.Sha256)
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
}

func submit(ctx context.Context, client *api.ClientWithResponses, project string) (*api.Submission, error) {
	for {
		sent, err := client.GenerateWithResponse(ctx, nil, api.GenerateRequest{ProjectId: project, Prompt: "a duck that flaps through gaps"})
		if err != nil {
			return nil, err
		}
		switch {
		case sent.JSON200 != nil:
			return sent.JSON200, nil
		case sent.JSON503 == nil:
			return nil, fmt.Errorf("submitting: %s %s", sent.Status(), sent.Body)
		}
		time.Sleep(time.Second)
	}
}

// events counts the events, each of which has its own type.
func events(ctx context.Context, client *api.ClientWithResponses, job string) (int, error) {
	res, err := client.StreamEvents(ctx, job, nil)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close()
	n, ended := 0, false
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var event api.Event
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return n, err
		}
		typed, err := event.ValueByDiscriminator()
		if err != nil {
			return n, err
		}
		_, ended = typed.(api.JobCompleted)
		n++
	}
	if err := lines.Err(); err != nil {
		return n, err
	}
	if !ended {
		return n, errors.New("the last event is not that of the end")
	}
	return n, nil
}
