// Command ogen goes through the whole flow with a client that ogen made of the document:
// submit, follow the typed events, read the record, download. It prints how the job
// ended, how many events there were and should be, and the SHA-256 of the ZIP and that
// of the record. Given the address of a stream it follows that one alone, and prints the
// number and type of each event. It is a module of its own, and the client is made by a
// test of test/foreign.
//
// Usage: SVC_API_KEY=KEY ogen URL
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/ogen-go/ogen/ogenerrors"

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
	service := at.Scheme + "://" + at.Host
	if job, is := strings.CutSuffix(strings.TrimPrefix(at.Path, "/v1/generate/"), "/events"); is {
		of := api.StreamEventsParams{
			JobId: api.JobId(job), ProjectId: api.NewOptProjectId(api.ProjectId(at.Query().Get("projectId"))), LastEventId: named(at, "lastEventId"),
		}
		return follow(context.Background(), service, of, func(event api.StreamEventsOKEvent) { fmt.Println(event.ID, event.Type) })
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return flow(ctx, service)
}

// named returns a parameter of an address, if it has it.
func named(at *url.URL, name string) (value api.OptString) {
	if text := at.Query().Get(name); text != "" {
		value.SetTo(text)
	}
	return value
}

// key is the one way of two in which the key is sent.
type key string

func (k key) BearerKey(context.Context, api.OperationName) (api.BearerKey, error) {
	return api.BearerKey{Token: string(k)}, nil
}

func (key) HeaderKey(context.Context, api.OperationName) (api.HeaderKey, error) {
	return api.HeaderKey{}, ogenerrors.ErrSkipClientSecurity
}

func flow(ctx context.Context, service string) error {
	client, err := api.NewClient(service, key(os.Getenv("SVC_API_KEY")))
	if err != nil {
		return err
	}
	made, err := client.CreateProject(ctx, &api.ProjectRequest{Name: "Duck"}, api.CreateProjectParams{})
	if err != nil {
		return err
	}
	project, is := made.(*api.ProjectCreatedHeaders)
	if !is {
		return fmt.Errorf("creating the project: %+v", made)
	}
	job, err := submit(ctx, client, project.Response.Data.ID)
	if err != nil {
		return err
	}
	n, err := events(ctx, service, job)
	if err != nil {
		return err
	}
	polled, err := client.GetJob(ctx, api.GetJobParams{JobId: job})
	if err != nil {
		return err
	}
	record, is := polled.(*api.JobHeaders)
	if !is {
		return fmt.Errorf("polling: %+v", polled)
	}
	got, err := client.DownloadFiles(ctx, api.DownloadFilesParams{JobId: job})
	if err != nil {
		return err
	}
	zip, is := got.(*api.DownloadFilesOKHeaders)
	if !is {
		return fmt.Errorf("downloading: %+v", got)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, zip.Response.Data); err != nil {
		return err
	}
	fmt.Printf("%s %d %d %x %s\n", record.Response.Status, n, record.Response.LastEventId, sum.Sum(nil), record.Response.Files.Value.SHA256)
	return nil
}

func submit(ctx context.Context, client *api.Client, project api.ProjectId) (api.JobId, error) {
	for {
		sent, err := client.Generate(ctx, &api.GenerateRequest{ProjectId: project, Prompt: "a duck that flaps through gaps"}, api.GenerateParams{})
		if err != nil {
			return "", err
		}
		switch sent := sent.(type) {
		case *api.SubmissionHeaders:
			return sent.Response.JobId, nil
		case *api.NotAcceptedHeaders:
			time.Sleep(time.Duration(sent.RetryAfter) * time.Second)
		default:
			return "", fmt.Errorf("submitting: %+v", sent)
		}
	}
}

// events counts the events, each of which has its own type.
func events(ctx context.Context, service string, job api.JobId) (int, error) {
	n, ended := 0, false
	err := follow(ctx, service, api.StreamEventsParams{JobId: job}, func(event api.StreamEventsOKEvent) {
		n++
		_, ended = event.Data.GetJobCompleted()
	})
	if err == nil && !ended {
		err = errors.New("the last event is not that of the end")
	}
	return n, err
}

// follow shows each event, and asks again after the last one that it has read until the
// service says that there are no more. The client would ask again by itself, but it takes the
// id of an event that was cut for one that it has read, cancels the connection that it makes
// then, and does not stop at the end of the job: it gets one request a stream.
func follow(ctx context.Context, service string, of api.StreamEventsParams, show func(api.StreamEventsOKEvent)) error {
	for ; ; time.Sleep(50 * time.Millisecond) {
		request := new(once)
		client, err := api.NewClient(service, key(os.Getenv("SVC_API_KEY")),
			api.WithClient(request), api.WithSSEClientOptions(api.WithSSEMaxRetries(1)))
		if err != nil {
			return err
		}
		opened, err := client.StreamEvents(ctx, of)
		stream, is := opened.(*api.StreamEventsOK)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case request.status == http.StatusNoContent:
			return nil
		case request.status/100 == 4:
			return fmt.Errorf("following: %+v: %w", opened, err)
		case !is:
			continue // no one listens, or can answer now
		}
		for event, err := range stream.All(ctx) {
			if err != nil {
				return err
			}
			if event.ID != "" {
				of.LastEventID.SetTo(event.ID)
			}
			show(event)
		}
		if err := stream.Close(); err != nil {
			return err
		}
	}
}

// once is an HTTP client for one request.
type once struct {
	sent   bool
	status int // of the answer
}

func (o *once) Do(req *http.Request) (*http.Response, error) {
	if o.sent {
		return nil, errors.New("it is asked again by hand")
	}
	o.sent = true
	res, err := http.DefaultClient.Do(req)
	if err == nil {
		o.status = res.StatusCode
	}
	return res, err
}
