"""Requests, refusals, and when to ask again: the rules of docs/errors.md."""

from __future__ import annotations

import copy
import http.client
import json
import re
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, TypeVar

T = TypeVar("T")

SUBMISSION_BUDGET = 8 * 60.0  # seconds, in which a submission is sent again
CALL_BUDGET = 60.0  # the same of all else
CONNECT_BUDGET = 10.0  # of an address at which nothing has answered yet: it may be wrong
DEFAULT_RETRY_AFTER = 30.0
IDLE_LIMIT = 45.0  # of a connection that brings nothing; streams beat every 15 s

LOST = (OSError, http.client.HTTPException, urllib.error.URLError)
FOREIGN = {"error": "what answers is not the service"}


class SvcError(Exception):
    """A refusal of the service, or an answer that is not the service's: then status is below 400."""

    def __init__(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str], what: str) -> None:
        super().__init__(f"{what}: {status} {body.get('error', 'without a reason')}")
        self.status = status
        self.reason: Optional[str] = body.get("reason")
        self.limit: Optional[str] = body.get("limit")
        self.request_id: Optional[str] = headers.get("X-Request-Id")
        self.job_id: Optional[str] = headers.get("Svc-Job-Id")
        after = body.get("retryAfterSeconds", headers.get("Retry-After"))
        try:
            self.retry_after: Optional[float] = None if after is None else float(after)
        except ValueError:
            self.retry_after = None


class Stopped(Exception):
    """The call goes on no more."""


@dataclass(frozen=True)
class Retry:
    """A wait before another attempt."""

    delay: float
    error: Exception
    attempt: int


def backoff(attempt: int) -> float:
    return min(0.5 * 2 ** min(attempt, 10), 8.0)


def final(error: Exception) -> bool:
    """Whether asking again can't help."""
    return isinstance(error, SvcError) and error.status < 500


def call_delay(error: Exception, attempt: int) -> Optional[float]:
    """How long to wait after a call failed; None when another attempt can't help."""
    if isinstance(error, SvcError) and error.status == 503:
        return max(backoff(attempt), error.retry_after or 0)
    return None  # the service means it, or the answer is lost: what it was is not known


def once_delay(error: Exception, attempt: int) -> Optional[float]:
    """The same of a call with an Idempotency-Key, which makes it safe to repeat."""
    if not isinstance(error, SvcError):
        return backoff(attempt)
    if error.status == 503:
        return DEFAULT_RETRY_AFTER if error.retry_after is None else error.retry_after
    if error.status in (502, 504):
        return max(backoff(attempt), error.retry_after or 0)
    if error.status == 409 and (attempt > 0 or error.retry_after is not None):
        return max(backoff(attempt), error.retry_after or 0)
    return None


def project_delay(error: Exception, attempt: int) -> Optional[float]:
    """The same of what only reads, and of the creation of a project, which starts no engine that takes its time."""
    wait = call_delay(error, attempt)
    return once_delay(error, attempt) if wait is None else wait


class Transport:
    """Sends requests to one service with one key."""

    def __init__(self, api_key: str, base_url: str, on_retry: Optional[Callable[[Retry], None]]) -> None:
        self._key = (api_key or "").strip()
        if not self._key:
            raise ValueError("an api_key is required")
        if not re.fullmatch("[!-~]+", self._key):
            raise ValueError("an api_key has visible ASCII characters alone")  # this one is not shown
        base = base_url.rstrip("/")
        self.base = base[: -len("/v1")] if base.endswith("/v1") else base
        address = urllib.parse.urlsplit(self.base)
        named = address.hostname and address.port != 0  # which raises a ValueError where it is no number
        if address.scheme not in ("http", "https") or not named or re.search(r"[\0-\x20\x7f]", self.base):
            raise ValueError("the base_url must begin with http:// or https:// and name a host")
        self._on_retry = on_retry
        # A redirect would carry the key to another host.
        self._opener = urllib.request.build_opener(_NoRedirect)
        self.reached = threading.Event()  # something has answered at the address
        self._stopped: Optional[threading.Event] = None
        self._answer: Optional[http.client.HTTPResponse] = None

    def stoppable(self) -> Transport:
        """The same, for one call that another thread may stop."""
        own = copy.copy(self)
        own._stopped, own._answer = threading.Event(), None
        return own

    def stop(self) -> None:
        """Ends the call of a stoppable one: what it waits for, and what it reads."""
        assert self._stopped is not None
        self._stopped.set()
        try:
            if self._answer is not None:  # whose close would wait for who reads it
                with socket.fromfd(self._answer.fileno(), socket.AF_INET, socket.SOCK_STREAM) as connection:
                    connection.shutdown(socket.SHUT_RDWR)
        except (OSError, ValueError, AttributeError):
            pass  # it is closed

    def sleep(self, seconds: float) -> None:
        if self._stopped is None:
            time.sleep(seconds)
        elif self._stopped.wait(seconds):
            raise Stopped

    def _open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        if self._stopped is not None and self._stopped.is_set():
            raise Stopped
        try:
            self._answer = answer = self._opener.open(request, timeout=IDLE_LIMIT)
        except urllib.error.HTTPError:
            self.reached.set()
            raise
        except urllib.error.URLError:
            raise  # there was no connection
        except LOST:
            self.reached.set()
            raise
        self.reached.set()
        if self._stopped is not None and self._stopped.is_set():
            answer.close()
            raise Stopped
        return answer

    def send(
        self, method: str, path: str, body: Any = None, headers: Optional[Mapping[str, str]] = None,
    ) -> http.client.HTTPResponse:
        """Makes one request. An answer that is no success is raised as a SvcError."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method)
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        request.add_header("Authorization", "Bearer " + self._key)
        if data is not None:
            request.add_header("Content-Type", "application/json")
        try:
            return self._open(request)
        except urllib.error.HTTPError as refused:
            with refused:
                try:
                    told = FOREIGN if refused.code < 400 else json.loads(refused.read(1 << 16))
                except (ValueError, *LOST):
                    told = {}
            named = told if isinstance(told, dict) else {}
            raise SvcError(refused.code, named, refused.headers, f"{method} {path.split('?')[0]}") from None

    def json(self, method: str, path: str, body: Any = None, headers: Optional[Mapping[str, str]] = None) -> Any:
        with self.send(method, path, body, headers) as answer:
            said, kind = answer.read(), answer.headers.get("Content-Type", "")
            try:
                if "csv" in kind or "ndjson" in kind:
                    return said.decode()  # a view, asked for as text
                return json.loads(said)
            except ValueError:
                if "json" not in kind:
                    raise SvcError(answer.status, FOREIGN, answer.headers, f"{method} {path.split('?')[0]}") from None
                raise ConnectionError("the answer broke off") from None

    def call(
        self, method: str, path: str, body: Any = None, headers: Optional[Mapping[str, str]] = None,
        delay: Optional[Callable[[Exception, int], Optional[float]]] = None,
    ) -> Any:
        delay = delay or (project_delay if method == "GET" else call_delay)
        return self.again(lambda: self.json(method, path, body, headers), CALL_BUDGET, delay)

    def again(self, attempt: Callable[[], T], budget: float, delay: Callable[[Exception, int], Optional[float]]) -> T:
        """Calls attempt until it succeeds, another can't help, or would come after the budget."""
        patience = Patience(self, time.monotonic())
        count = 0
        while True:
            try:
                return attempt()
            except (SvcError, *LOST) as error:
                wait = delay(error, count)
                count += 1
                if wait is None or patience.spent(budget, wait):
                    raise
                if self._on_retry:
                    self._on_retry(Retry(wait, error, count))
                self.sleep(wait)


class Patience:
    """How long failures are borne: from the first since the last sign of the service, or from a given time."""

    def __init__(self, http: Transport, since: Optional[float] = None) -> None:
        self._http, self._since = http, since

    def seen(self) -> None:
        self._since = None

    def spent(self, budget: float, wait: float) -> bool:
        """Whether an attempt after so long would come after the budget."""
        if self._since is None:
            self._since = time.monotonic()
        most = budget if self._http.reached.is_set() else min(budget, CONNECT_BUDGET)
        return time.monotonic() + wait > self._since + most


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def query(**values: Any) -> str:
    given = {name: value for name, value in values.items() if value is not None and value != ""}
    return "?" + urllib.parse.urlencode(given) if given else ""
