"""The client for programs with an event loop: the other one, each call in a thread that a cancellation ends."""

from __future__ import annotations

import asyncio
import contextvars
import copy
import threading
from concurrent.futures import Future
from typing import Any, AsyncIterator, Callable, Iterator, List, Optional, TypeVar

from ._client import Client, Job, Record
from ._http import Retry, Transport

C = TypeVar("C", Client, Job)
T = TypeVar("T")

_END = object()


def _stoppable(of: C) -> C:
    own = copy.copy(of)
    own._http = of._http.stoppable()
    return own


async def _await(http: Transport, call: Callable[..., T], *args: Any, **options: Any) -> T:
    """Makes a call in a thread that no other call waits for, nor the end of the program."""
    done: Future[T] = Future()
    done.set_running_or_notify_cancel()  # a cancellation stops the call instead

    def work() -> None:
        try:
            done.set_result(call(*args, **options))
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True).start()
    try:
        return await asyncio.wrap_future(done)
    except asyncio.CancelledError:
        http.stop()
        raise


async def _run(method: Callable[..., T], of: C, *args: Any, **options: Any) -> T:
    own = _stoppable(of)
    return await _await(own._http, method, own, *args, **options)


async def _each(method: Callable[..., Iterator[Record]], of: C, *args: Any) -> AsyncIterator[Record]:
    own = _stoppable(of)
    items = method(own, *args)
    try:
        while (item := await _await(own._http, next, items, _END)) is not _END:
            yield item
    finally:
        own._http.stop()


class AsyncClient:
    """Client, to be awaited. What it calls, such as on_retry, is called in another thread."""

    def __init__(
        self, api_key: str, base_url: str = "http://localhost:8080", on_retry: Optional[Callable[[Retry], None]] = None,
    ) -> None:
        self._client = Client(api_key, base_url, on_retry)

    async def create_project(self, name: str, description: Optional[str] = None, **options: Any) -> Record:
        return await _run(Client.create_project, self._client, name, description, **options)

    async def project(self, project_id: str) -> Record:
        return await _run(Client.project, self._client, project_id)

    async def delete_project(self, project_id: str) -> None:
        await _run(Client.delete_project, self._client, project_id)

    def projects(self, limit: Optional[int] = None) -> AsyncIterator[Record]:
        return _each(Client.projects, self._client, limit)

    def jobs(
        self, project_id: Optional[str] = None, status: Optional[str] = None, limit: Optional[int] = None,
    ) -> AsyncIterator[Record]:
        return _each(Client.jobs, self._client, project_id, status, limit)

    async def models(self) -> List[Record]:
        return await _run(Client.models, self._client)

    async def request(self, method: str, path: str, body: Any = None, **values: Any) -> Any:
        return await _run(Client.request, self._client, method, path, body, **values)

    async def generate(self, project_id: str, prompt: str, **options: Any) -> AsyncJob:
        return AsyncJob(await _run(Client.generate, self._client, project_id, prompt, **options))

    def job(self, job_id: str, project_id: Optional[str] = None) -> AsyncJob:
        return AsyncJob(self._client.job(job_id, project_id))


class AsyncJob:
    """Job, to be awaited."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.job_id, self.project_id, self.session_id = job.job_id, job.project_id, job.session_id

    async def status(self) -> Record:
        return await _run(Job.status, self._job)

    async def cancel(self) -> Record:
        return await _run(Job.cancel, self._job)

    async def stream_token(self) -> Record:
        return await _run(Job.stream_token, self._job)

    def events(self, after: int = 0) -> AsyncIterator[Record]:
        return _each(Job.events, self._job, after)

    async def wait(self, on_event: Optional[Callable[[Record], None]] = None) -> Record:
        return await _run(Job.wait, self._job, on_event)

    async def download(self, on_progress: Optional[Callable[[int], None]] = None) -> bytes:
        return await _run(Job.download, self._job, on_progress)
