package client_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/svc-games/svc/api"
	"github.com/svc-games/svc/client"
)

// A brief in, an unpacked game out.
func Example() {
	ctx := context.Background()
	c, err := client.New(client.Options{APIKey: os.Getenv("SVC_API_KEY")})
	if err != nil {
		log.Fatal(err)
	}
	project, err := c.CreateProject(ctx, api.ProjectRequest{Name: "Penguins"})
	if err != nil {
		log.Fatal(err)
	}
	job, err := c.Generate(ctx, api.GenerateRequest{ProjectID: project.ID, Prompt: "a penguin on ice"})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range job.Events(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		switch e := event.(type) {
		case client.JobProgress:
			fmt.Println(e.Percent, "%", e.Message)
		case client.JobFailed:
			log.Fatal(e.Failure.Message)
		}
	}
	if _, err := job.Download(ctx, "game.zip"); err != nil {
		log.Fatal(err)
	}
	if err := client.Extract("game.zip", "game"); err != nil {
		log.Fatal(err)
	}
}
