// Command ogen goes through the whole flow with a client that ogen made of the document:
// submit, follow the typed events, read the record, download. It prints how the job
// ended, how many events there were and should be, and the SHA-256 of the ZIP and that
// of the record. It is a module of its own, and the client is made by a test of
// test/foreign.
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
	"os"
	"time"

	"github.com/ogen-go/ogen/ogenerrors"

	"foreign/api"
)

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := flow(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// key is the one way of two in which the key is sent.
type key string

func (k key) BearerKey(context.Context, api.OperationName) (api.BearerKey, error) {
	return api.BearerKey{Token: string(k)}, nil
}

func (key) HeaderKey(context.Context, api.OperationName) (api.HeaderKey, error) {
	return api.HeaderKey{}, ogenerrors.ErrSkipClientSecurity
}

func flow(ctx context.Context, url string) error {
	client, err := api.NewClient(url, key(os.Getenv("SVC_API_KEY")))
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
	n, err := events(ctx, client, job)
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

// events counts the events, each of which has its own type, as they come.
func events(ctx context.Context, client *api.Client, job api.JobId) (int, error) {
	opened, err := client.StreamEvents(ctx, api.StreamEventsParams{JobId: job})
	if err != nil {
		return 0, err
	}
	stream, is := opened.(*api.StreamEventsOK)
	if !is {
		return 0, fmt.Errorf("following: %+v", opened)
	}
	defer stream.Close()
	for n := 1; ; n++ {
		event, err := stream.Next(ctx)
		if err != nil {
			return n, err
		}
		if _, ended := event.Data.GetJobCompleted(); ended {
			return n, nil
		}
		if event.Data.IsJobFailed() || event.Data.IsJobCancelled() {
			return n, errors.New("the job did not complete")
		}
	}
}
