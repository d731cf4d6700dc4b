// Command oapi-codegen goes through the whole flow with a client that oapi-codegen
// made of the document: submit, poll, read typed events, download. It prints how the job
// ended, how many events there were and should be, and the SHA-256 of the ZIP and that of
// the record. Given the address of a stream it follows that one alone, and prints the
// number and type of each event. It is a module of its own, and the client is made by a
// test of test/foreign.
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
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"foreign/api"
)

func main() {
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(address string) error {
	at, err := url.Parse(address)
	if err != nil {
		return err
	}
	withKey := func(_ context.Context, req *http.Request) error {
		req.Header.Set("X-API-Key", os.Getenv("SVC_API_KEY"))
		return nil
	}
	client, err := api.NewClientWithResponses(at.Scheme+"://"+at.Host, api.WithRequestEditorFn(withKey))
	if err != nil {
		return err
	}
	if job, is := strings.CutSuffix(strings.TrimPrefix(at.Path, "/v1/generate/"), "/events"); is {
		of := &api.StreamEventsParams{ProjectId: named(at, "projectId"), LastEventId: named(at, "lastEventId")}
		return follow(context.Background(), client, job, of, func(e numbered, _ any) { fmt.Println(e.Seq, e.Type) })
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return flow(ctx, client)
}

// named returns a parameter of an address, nil if it has none.
func named(at *url.URL, name string) *string {
	value := at.Query().Get(name)
	if value == "" {
		return nil
	}
	return &value
}

func flow(ctx context.Context, client *api.ClientWithResponses) error {
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
	n, ended := 0, false
	err := follow(ctx, client, job, new(api.StreamEventsParams), func(_ numbered, event any) {
		n++
		_, ended = event.(api.JobCompleted)
	})
	if err == nil && !ended {
		err = errors.New("the last event is not that of the end")
	}
	return n, err
}

// numbered is what all events of a job's log have.
type numbered struct {
	Seq  int    `json:"seq"`
	Type string `json:"type"`
}

// follow shows each event, and asks again after the last one that it has read until the
// service says that there are no more.
func follow(ctx context.Context, client *api.ClientWithResponses, job string, of *api.StreamEventsParams, show func(numbered, any)) error {
	for ; ; time.Sleep(50 * time.Millisecond) {
		res, err := client.StreamEvents(ctx, job, of)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			continue // no one listens
		case res.StatusCode == http.StatusNoContent:
			return res.Body.Close()
		case res.StatusCode/100 == 4:
			return fmt.Errorf("following: %s", res.Status)
		}
		err = read(res.Body, func(e numbered, event any) {
			if e.Seq > 0 {
				last := strconv.Itoa(e.Seq)
				of.LastEventID = &last
			}
			show(e, event)
		})
		if err := errors.Join(err, res.Body.Close()); err != nil {
			return err
		}
	}
}

// read shows the events of one stream, to its end or to where it breaks.
func read(stream io.Reader, show func(numbered, any)) error {
	lines := bufio.NewScanner(stream)
	for lines.Scan() {
		data, is := strings.CutPrefix(lines.Text(), "data: ")
		if !is {
			continue
		}
		var e numbered
		var event api.Event
		if json.Unmarshal([]byte(data), &e) != nil || json.Unmarshal([]byte(data), &event) != nil {
			return nil // half an event: the connection broke
		}
		typed, err := event.ValueByDiscriminator()
		if err != nil {
			return err
		}
		show(e, typed)
	}
	return nil
}
