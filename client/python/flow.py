"""What test/e2e runs against a service: the whole flow, printed as one line of JSON. With async, by the client of event loops."""

import asyncio
import json
import os
import sys

from svc_client import AsyncClient, Client, SvcError

BASE, KEY = os.environ["SVC_BASE_URL"], os.environ["SVC_API_KEY"]
BRIEF = "a yellow duck that flaps through gaps"


def called() -> dict:
    svc = Client(KEY, BASE + "/v1/")
    project = svc.create_project("Duck")
    job = svc.generate(project["_id"], BRIEF)
    ours = list(job.events())
    record = job.wait()
    archive = job.download()
    try:
        svc.generate(project["_id"], "")
        refused = 0
    except SvcError as error:
        refused = error.status
    again = list(Client(KEY, BASE).job(job.job_id, job.project_id).events())
    after = list(job.events(after=3))
    own = f"/v1/projects/{project['_id']}"
    published = svc.request("POST", own + "/publish", {"jobId": job.job_id})["data"]["path"]
    days = svc.request("GET", own + "/analytics/overview", days=3)["data"]["days"]
    listed = list(svc.jobs(project["_id"], "completed", 1))
    models = svc.models()
    dropped = svc.generate(project["_id"], BRIEF)
    dropped.cancel()
    return said(record, archive, refused, ours, again, after, listed, models, dropped.wait(), published, days)


async def awaited() -> dict:
    svc = AsyncClient(KEY, BASE + "/v1/")
    project = await svc.create_project("Duck")
    job = await svc.generate(project["_id"], BRIEF)
    ours = [event async for event in job.events()]
    record, archive = await asyncio.gather(job.wait(), job.download())
    try:
        await svc.generate(project["_id"], "")
        refused = 0
    except SvcError as error:
        refused = error.status
    again = [event async for event in AsyncClient(KEY, BASE).job(job.job_id, job.project_id).events()]
    after = [event async for event in job.events(after=3)]
    own = f"/v1/projects/{project['_id']}"
    published = (await svc.request("POST", own + "/publish", {"jobId": job.job_id}))["data"]["path"]
    days = (await svc.request("GET", own + "/analytics/overview", days=3))["data"]["days"]
    listed = [one async for one in svc.jobs(project["_id"], "completed", 1)]
    models = await svc.models()
    dropped = await svc.generate(project["_id"], BRIEF)
    await dropped.cancel()
    return said(record, archive, refused, ours, again, after, listed, models, await dropped.wait(), published, days)


def said(record, archive, refused, ours, again, after, listed, models, dropped, published, days) -> dict:
    return {
        "status": record["status"], "events": len(ours), "browsers": len(again), "after": len(after),
        "lastEventId": record["lastEventId"], "inOrder": [event["seq"] for event in ours] == list(range(1, len(ours) + 1)),
        "bytes": len(archive), "expected": record["files"]["bytes"], "jobId": record["jobId"], "refused": refused,
        "listed": [one["jobId"] for one in listed], "models": len(models), "dropped": dropped["status"],
        "published": published, "days": len(days),
    }


print(json.dumps(asyncio.run(awaited()) if sys.argv[1:] == ["async"] else called()))
