"""The client for programs with an event loop: the other one, in threads."""

from __future__ import annotations

import asyncio
from typing import Any, AsyncIterator, Callable, Iterator, List, Optional

from ._client import Client, Job, Record
from ._http import Retry

_END = object()


async def _each(items: Iterator[Record]) -> AsyncIterator[Record]:
    while (item := await asyncio.to_thread(next, items, _END)) is not _END:
        yield item


class AsyncClient:
    """Client, to be awaited."""

    def __init__(
        self, api_key: str, base_url: str = "http://localhost:8080", on_retry: Optional[Callable[[Retry], None]] = None,
    ) -> None:
        self._client = Client(api_key, base_url, on_retry)

    async def create_project(self, name: str, description: Optional[str] = None, **options: Any) -> Record:
        return await asyncio.to_thread(self._client.create_project, name, description, **options)

    async def project(self, project_id: str) -> Record:
        return await asyncio.to_thread(self._client.project, project_id)

    async def delete_project(self, project_id: str) -> None:
        await asyncio.to_thread(self._client.delete_project, project_id)

    def projects(self, limit: Optional[int] = None) -> AsyncIterator[Record]:
        return _each(self._client.projects(limit))

    def jobs(
        self, project_id: Optional[str] = None, status: Optional[str] = None, limit: Optional[int] = None,
    ) -> AsyncIterator[Record]:
        return _each(self._client.jobs(project_id, status, limit))

    async def models(self) -> List[Record]:
        return await asyncio.to_thread(self._client.models)

    async def generate(self, project_id: str, prompt: str, **options: Any) -> AsyncJob:
        return AsyncJob(await asyncio.to_thread(self._client.generate, project_id, prompt, **options))

    def job(self, job_id: str, project_id: Optional[str] = None) -> AsyncJob:
        return AsyncJob(self._client.job(job_id, project_id))


class AsyncJob:
    """Job, to be awaited."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self.job_id, self.project_id, self.session_id = job.job_id, job.project_id, job.session_id

    async def status(self) -> Record:
        return await asyncio.to_thread(self._job.status)

    async def cancel(self) -> Record:
        return await asyncio.to_thread(self._job.cancel)

    async def stream_token(self) -> Record:
        return await asyncio.to_thread(self._job.stream_token)

    def events(self, after: int = 0) -> AsyncIterator[Record]:
        return _each(self._job.events(after))

    async def wait(self) -> Record:
        return await asyncio.to_thread(self._job.wait)

    async def download(self) -> bytes:
        return await asyncio.to_thread(self._job.download)
