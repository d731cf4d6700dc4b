// Command streams follows a stream of events with a client of others, and prints the id
// and type of each event. It ends when the client takes the stream for ended. follow.mjs
// does the same with clients from npm. It is a module of its own, so that the clients are
// no dependency of the service.
//
// Usage: SVC_API_KEY=KEY streams CLIENT URL
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/launchdarkly/eventsource"
	"github.com/r3labs/sse/v2"
	gosse "github.com/tmaxmax/go-sse"
	"gopkg.in/cenkalti/backoff.v1"
)

const again = 50 * time.Millisecond // until a client asks again, where that can be set

var clients = map[string]func(*http.Request) error{
	"r3labs/sse":               r3labs,
	"tmaxmax/go-sse":           tmaxmax,
	"launchdarkly/eventsource": launchDarkly,
}

func main() {
	req, err := http.NewRequest(http.MethodGet, os.Args[2], nil)
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("X-API-Key", os.Getenv("SVC_API_KEY"))
	if err := clients[os.Args[1]](req); err != nil {
		log.Fatal(err)
	}
}

func r3labs(req *http.Request) error {
	client := sse.NewClient(req.URL.String())
	client.Headers["X-API-Key"] = req.Header.Get("X-API-Key")
	client.ReconnectStrategy = backoff.NewConstantBackOff(again)
	return client.SubscribeRawWithContext(context.Background(), func(e *sse.Event) {
		if len(e.Event) > 0 { // it also calls for comments
			fmt.Printf("%s %s\n", e.ID, e.Event)
		}
	})
}

func tmaxmax(req *http.Request) error {
	client := gosse.Client{Backoff: gosse.Backoff{InitialInterval: again}}
	conn := client.NewConnection(req)
	conn.SubscribeToAll(func(e gosse.Event) {
		if e.Type != "" { // it also calls for the block with retry
			fmt.Println(e.LastEventID, e.Type)
		}
	})
	return conn.Connect()
}

func launchDarkly(req *http.Request) error {
	onError := func(error) eventsource.StreamErrorHandlerResult { return eventsource.StreamErrorHandlerResult{} }
	stream, err := eventsource.SubscribeWithRequestAndOptions(req,
		eventsource.StreamOptionInitialRetry(again), eventsource.StreamOptionErrorHandler(onError))
	if err != nil {
		return err
	}
	for e := range stream.Events {
		if e.Event() != "" { // it also has one for the block with retry
			fmt.Println(e.(interface{ Id() string }).Id(), e.Event())
		}
	}
	return nil
}
