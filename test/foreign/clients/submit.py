"""Submits a job with urllib3, which sends the same again by its own rules, and prints the job's id.

Usage: SVC_API_KEY=KEY python3 submit.py URL BODY
"""

import json
import os
import sys

import urllib3

url, body = sys.argv[1:]
headers = {"X-API-Key": os.environ["SVC_API_KEY"], "Content-Type": "application/json", "Idempotency-Key": "urllib3"}
# A POST is sent again only by who is told that it may be: here it has an Idempotency-Key.
retries = urllib3.Retry(total=20, backoff_factor=0.2, allowed_methods=None, status_forcelist=[503])
answer = urllib3.PoolManager(retries=retries).request("POST", url, body=body.encode(), headers=headers)
print(json.loads(answer.data)["jobId"])
