"""What test/e2e runs against a service: the whole flow, printed as one line of JSON."""

import asyncio
import json
import os

from svc_client import AsyncClient, Client, SvcError

base, key = os.environ["SVC_BASE_URL"], os.environ["SVC_API_KEY"]
svc = Client(key, base + "/v1/")
project = svc.create_project("Duck")
job = svc.generate(project["_id"], "a yellow duck that flaps through gaps")
ours = list(job.events())


async def again() -> list:
    return [event async for event in AsyncClient(key, base).job(job.job_id, job.project_id).events()]


record = job.wait()
archive = job.download()
try:
    svc.generate(project["_id"], "")
    refused = 0
except SvcError as error:
    refused = error.status
print(json.dumps({
    "status": record["status"], "events": len(ours), "browsers": len(asyncio.run(again())),
    "after": len(list(job.events(after=3))), "lastEventId": record["lastEventId"],
    "inOrder": [event["seq"] for event in ours] == list(range(1, len(ours) + 1)),
    "bytes": len(archive), "expected": record["files"]["bytes"], "jobId": job.job_id, "refused": refused,
    "listed": [one["jobId"] for one in svc.jobs(project["_id"], "completed", 1)], "models": len(svc.models()),
}))
