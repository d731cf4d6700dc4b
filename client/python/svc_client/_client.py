"""The client for programs with threads."""

from __future__ import annotations

import hashlib
import json
import uuid
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional
from urllib.parse import quote

from ._http import (
    CALL_BUDGET, CONNECT_BUDGET, FOREIGN, LOST, SUBMISSION_BUDGET, Patience, Retry, SvcError, Transport, backoff, final,
    once_delay, project_delay, query,
)

_POLL = 2.0  # seconds
_ENDS = ("completed", "failed", "cancelled")

Record = Dict[str, Any]


class Client:
    """Talks to one service with one key. It may be used by several threads."""

    def __init__(
        self, api_key: str, base_url: str = "http://localhost:8080", on_retry: Optional[Callable[[Retry], None]] = None,
    ) -> None:
        self._http = Transport(api_key, base_url, on_retry)

    def create_project(
        self, name: str, description: Optional[str] = None, *, idempotency_key: Optional[str] = None,
    ) -> Record:
        """Each attempt has the same Idempotency-Key: it makes one project."""
        body = {"name": name, "template": "blank", **({} if description is None else {"description": description})}
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return self._http.call("POST", "/v1/projects", body, headers, project_delay)["data"]

    def project(self, project_id: str) -> Record:
        return self._http.call("GET", "/v1/projects/" + quote(project_id, safe=""))["data"]

    def delete_project(self, project_id: str) -> None:
        self._http.call("DELETE", "/v1/projects/" + quote(project_id, safe=""))

    def projects(self, limit: Optional[int] = None) -> Iterator[Record]:
        """All projects of the key's user, newest first."""
        return self._pages("/v1/projects", limit=limit)

    def jobs(
        self, project_id: Optional[str] = None, status: Optional[str] = None, limit: Optional[int] = None,
    ) -> Iterator[Record]:
        """Jobs of a project, or of all, newest first."""
        return self._pages("/v1/generate", projectId=project_id, status=status, limit=limit)

    def _pages(self, path: str, **values: Any) -> Iterator[Record]:
        after = None
        while True:
            page = self._http.call("GET", path + query(**values, after=after))
            yield from page["data"]
            after = page.get("nextCursor")
            if not after:
                return

    def models(self) -> List[Record]:
        return self._http.call("GET", "/v1/models")["data"]

    def request(self, method: str, path: str, body: Any = None, **values: Any) -> Any:
        """Any other operation of the document that answers JSON; values are those of its query.

        As in request("POST", f"/v1/projects/{id}/publish", {"jobId": job.job_id}). It waits out a 503 for a minute.
        A view of analytics comes as text with format="csv" or "ndjson".
        """
        return self._http.call(method, path + query(**values), body)

    def generate(
        self, project_id: str, prompt: str, *, idempotency_key: Optional[str] = None,
        retry_budget: float = SUBMISSION_BUDGET, **fields: Any,
    ) -> Job:
        """Submits a job; fields are instructions, context, skills, settings and webhook.

        While the engine starts (503) it waits as long as the service says and sends the same again. Each attempt
        has the same Idempotency-Key, so that an answer that was lost makes no second job.
        """
        body = {"projectId": project_id, "prompt": prompt, **fields}
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        made = self._http.again(
            lambda: self._http.json("POST", "/v1/generate", body, headers), retry_budget, once_delay,
        )
        return Job(self._http, made["jobId"], made["projectId"], made["sessionId"])

    def job(self, job_id: str, project_id: Optional[str] = None) -> Job:
        """A job of an earlier submission."""
        return Job(self._http, job_id, project_id)


class Job:
    """A job and what can be done with it."""

    def __init__(
        self, http: Transport, job_id: str, project_id: Optional[str] = None, session_id: Optional[str] = None,
    ) -> None:
        self._http = http
        self.job_id = job_id
        self.project_id = project_id
        self.session_id = session_id

    def _path(self, part: str = "") -> str:
        return f"/v1/generate/{quote(self.job_id, safe='')}{part}{query(projectId=self.project_id)}"

    def status(self) -> Record:
        return self._http.call("GET", self._path("/status"))

    def cancel(self) -> Record:
        return self._http.call("DELETE", self._path())

    def stream_token(self) -> Record:
        """A token with which a browser follows this job, and nothing else, for five minutes."""
        return self._http.call("POST", self._path("/events/token"))

    def events(self, after: int = 0) -> Iterator[Record]:
        """Each event once and in order, until the job's last.

        It connects again by itself, for 8 minutes without a sign of the service.
        """
        return self._follow(after, Patience(self._http), SUBMISSION_BUDGET)

    def _follow(self, after: int, patience: Patience, budget: float) -> Iterator[Record]:
        last, failures = after, 0
        while True:
            before, failed = last, None
            try:
                for event in self._connection(last, patience):
                    if event is None:
                        return
                    if event["type"] == "stream.reset":
                        last = 0
                    elif event["seq"] <= last:
                        continue
                    else:
                        last = event["seq"]
                    yield event
                    if event["type"] in ("job.completed", "job.failed", "job.cancelled"):
                        return
            except (SvcError, *LOST) as error:
                if final(error):
                    raise
                failed = error
            failures = 0 if last > before else failures + 1
            wait = max(getattr(failed, "retry_after", None) or 0, backoff(failures))
            if patience.spent(budget, wait):
                raise failed or TimeoutError("the event stream brings nothing")
            self._http.sleep(wait)

    def _connection(self, last: int, patience: Patience) -> Iterator[Optional[Record]]:
        """The events of one stream; None when the log has ended."""
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": str(last)} if last else {})}
        with self._http.send("GET", self._path("/events"), headers=headers) as answer:
            if answer.status == 204:
                yield None
                return
            if not answer.headers.get("Content-Type", "").startswith("text/event-stream"):
                raise SvcError(answer.status, FOREIGN, answer.headers, "the event stream")
            for line in answer:
                patience.seen()
                if not line.endswith(b"\n"):
                    return  # half of one: the connection broke off
                if not line.startswith(b"data: "):
                    continue  # the data have all that the other fields say
                event = json.loads(line[len(b"data: "):])
                if event["type"] == "stream.closing":
                    return  # the next connection learns why
                yield event

    def wait(self, on_event: Optional[Callable[[Record], None]] = None) -> Record:
        """The record of the job once it has ended, whatever its end."""
        last, patience = 0, Patience(self._http)
        while True:
            events = self._follow(last, patience, CONNECT_BUDGET)
            while True:
                try:
                    event = next(events, None)
                except (SvcError, *LOST) as error:
                    if final(error):
                        raise
                    break  # no stream can be had for now: the record says whether it is over
                if event is None:
                    break
                last = event.get("seq", 0)
                if on_event:
                    on_event(event)
            try:
                record = self.status()
                if record["status"] in _ENDS:
                    return record
                patience.seen()
            except (SvcError, *LOST) as error:
                if final(error) or patience.spent(SUBMISSION_BUDGET, _POLL):
                    raise
            self._http.sleep(_POLL)

    def download(self, on_progress: Optional[Callable[[int], None]] = None) -> bytes:
        """The ZIP. A broken connection is taken up where it broke; what came is checked by its SHA-256."""
        parts, etag, failures, patience = bytearray(), "", 0, Patience(self._http)
        while True:
            before, failed, own = len(parts), None, False
            headers: Mapping[str, str] = {"Range": f"bytes={len(parts)}-", "If-Range": etag} if parts else {}
            try:
                with self._http.send("GET", self._path("/files"), headers=headers) as answer:
                    if answer.status != 206:
                        parts.clear()  # all of it comes again
                    etag = answer.headers.get("ETag", "")
                    length = answer.headers["Content-Length"]
                    total = None if length is None else len(parts) + int(length)
                    while chunk := answer.read(1 << 16):
                        parts += chunk
                        if on_progress:
                            own = True  # what it raises is no lost connection
                            on_progress(len(parts))
                            own = False
                if total is None or len(parts) == total:
                    if etag != f'"{hashlib.sha256(parts).hexdigest()}"':
                        raise ValueError("the download is damaged: its SHA-256 is not that of the service")
                    return bytes(parts)
            except (SvcError, *LOST) as error:
                if own or final(error):
                    raise
                failed = error
            failures = 0 if len(parts) > before else failures + 1
            if failures == 0:
                patience.seen()
            wait = max(getattr(failed, "retry_after", None) or 0, backoff(failures))
            if patience.spent(CALL_BUDGET, wait):
                raise failed or TimeoutError("the download brings nothing")
            self._http.sleep(wait)
