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
	submission, err := c.Generate(ctx, api.GenerateRequest{ProjectID: project.ID, Prompt: "a penguin on ice"})
	if err != nil {
		log.Fatal(err)
	}
	job := client.Job{ID: submission.JobID, ProjectID: submission.ProjectID}
	for event, err := range c.Events(ctx, job, 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Type, event.Members["message"])
	}
	if _, err := c.Download(ctx, job, "game.zip"); err != nil {
		log.Fatal(err)
	}
	if err := client.Extract("game.zip", "game"); err != nil {
		log.Fatal(err)
	}
}
