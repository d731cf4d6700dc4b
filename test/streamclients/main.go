// Command streamclients follows a stream of events with r3labs/sse, a client of
// others, and prints the id and type of each event. fetch-event-source.mjs does the
// same with @microsoft/fetch-event-source. Both take a good end of the body for the
// end of the stream, and ask again after a bad one. It is a module of its own, so
// that the client is no dependency of the service.
//
// Usage: SVC_API_KEY=KEY streamclients URL
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/r3labs/sse/v2"
	"gopkg.in/cenkalti/backoff.v1"
)

func main() {
	client := sse.NewClient(os.Args[1])
	client.Headers["X-API-Key"] = os.Getenv("SVC_API_KEY")
	client.ReconnectStrategy = backoff.NewConstantBackOff(50 * time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	err := client.SubscribeRawWithContext(ctx, func(e *sse.Event) {
		if len(e.Event) > 0 { // it also calls for comments
			fmt.Printf("%s %s\n", e.ID, e.Event)
		}
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
