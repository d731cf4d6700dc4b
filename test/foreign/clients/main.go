// Command clients submits a job with hashicorp/go-retryablehttp, which sends the same again
// by its own rules, and prints the job's id. submit.mjs does the same with clients from npm.
//
// Usage: SVC_API_KEY=KEY clients URL BODY
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/hashicorp/go-retryablehttp"
)

func main() {
	req, err := retryablehttp.NewRequest(http.MethodPost, os.Args[1], []byte(os.Args[2]))
	if err != nil {
		log.Fatal(err)
	}
	req.Header.Set("X-API-Key", os.Getenv("SVC_API_KEY"))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", "go-retryablehttp")
	client := retryablehttp.NewClient()
	client.RetryMax = 20
	res, err := client.Do(req)
	if err != nil {
		log.Fatal(err)
	}
	defer res.Body.Close()
	var made struct{ JobID string }
	if err := json.NewDecoder(res.Body).Decode(&made); err != nil {
		log.Fatal(err)
	}
	fmt.Println(made.JobID)
}
