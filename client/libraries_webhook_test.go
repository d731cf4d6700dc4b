package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/svc-games/svc/api/webhook"
)

// verifyJS and verifyPy print for each post of standard input what it is taken for.
const (
	verifyJS = `
import { readFileSync } from "node:fs";
import { verifyWebhook } from "./typescript/index.js";
const why = (error) => (error instanceof TypeError ? "misused" : "refused");
for (const { headers, body, secret, now } of JSON.parse(readFileSync(0, "utf8"))) {
  const taken = (headers) => verifyWebhook({ headers, body, secret, now: now * 1000 }).then((post) => post.type, why);
  console.log(await taken(headers), await taken(new Headers(headers)));
}`
	verifyPy = `
import json, sys
sys.path.insert(0, "python")
from svc_client import WebhookError, verify_webhook
for post in json.load(sys.stdin):
    def taken(headers):
        try:
            return verify_webhook(headers, post["body"].encode(), post["secret"], post["now"])["type"]
        except WebhookError:
            return "refused"
        except ValueError:
            return "misused"
    print(taken(post["headers"]), taken({name.title(): value for name, value in post["headers"].items()}))`
)

func TestLibrariesVerifyPosts(t *testing.T) {
	type post struct {
		Headers map[string]string `json:"headers"`
		Body    string            `json:"body"`
		Secret  string            `json:"secret"`
		Now     int64             `json:"now"`
	}
	const body = `{"type":"job.completed","name":"ü"}`
	former, secret := webhook.NewSecret(), webhook.NewSecret()
	at := time.Unix(1_800_000_000, 0)
	signed, err := webhook.Sign("msg_1", at, []byte(body), secret, former)
	if err != nil {
		t.Fatal(err)
	}
	headers := map[string]string{}
	for name := range signed {
		headers[strings.ToLower(name)] = signed.Get(name)
	}
	with := func(name, value string) map[string]string {
		changed := map[string]string{}
		for n, v := range headers {
			changed[n] = v
		}
		changed[name] = value
		return changed
	}
	good, refused, misused := "job.completed job.completed\n", "refused refused\n", "misused misused\n"
	empty := hmac.New(sha256.New, nil) // with the key of a secret that is none
	fmt.Fprintf(empty, "msg_1.%d.%s", at.Unix(), body)
	forged := "v1," + base64.StdEncoding.EncodeToString(empty.Sum(nil))
	var posts []post
	want := ""
	for _, p := range []struct {
		post
		want string
	}{
		{post{headers, body, secret, at.Unix()}, good},
		{post{headers, body, former, at.Unix() + 300}, good},
		{post{headers, body, webhook.NewSecret(), at.Unix()}, refused},
		{post{headers, body + " ", secret, at.Unix()}, refused},
		{post{headers, body, secret, at.Unix() + 301}, refused},
		{post{headers, body, secret, at.Unix() - 301}, refused},
		{post{with("webhook-id", "msg_2"), body, secret, at.Unix()}, refused},
		{post{with("webhook-signature", "v1,! v2,x"), body, secret, at.Unix()}, refused},
		{post{with("webhook-timestamp", "soon"), body, secret, at.Unix()}, refused},
		{post{with("webhook-timestamp", strings.Repeat("1", 400)), body, secret, at.Unix()}, refused},
		{post{with("webhook-timestamp", strings.Repeat("1", 5000)), body, secret, at.Unix()}, refused},
		{post{with("webhook-signature", forged), body, "whsec_", at.Unix()}, misused},
	} {
		posts, want = append(posts, p.post), want+p.want
	}
	input, err := json.Marshal(posts)
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range [][]string{{"node", "--input-type=module", "-e", verifyJS}, {"python3", "-B", "-c", verifyPy}} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Stdin = strings.NewReader(string(input))
		out, err := cmd.CombinedOutput()
		if err != nil || string(out) != want {
			t.Errorf("%s: %v\n%s\nwant\n%s", command[0], err, out, want)
		}
	}
}
