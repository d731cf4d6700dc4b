"""The flow with the Python client, against a mock, which has no stream of events.

Usage: SVC_BASE_URL=URL PYTHONPATH=CLIENT python3 mock.py
"""

import os

from svc_client import Client

svc = Client("sk-mock", os.environ["SVC_BASE_URL"])
project = svc.create_project("Duck")
job = svc.generate(project["_id"], "a duck")
record = job.wait()
print(len(svc.models()), project["_id"] == record["projectId"], job.download().decode())
