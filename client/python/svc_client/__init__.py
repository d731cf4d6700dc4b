"""Client of the game generation service.

Submissions wait out a cold start by themselves, event streams go on after a broken
connection, downloads are checked. It needs nothing but the standard library.
"""

from ._async import AsyncClient, AsyncJob
from ._client import Client, Job
from ._http import Retry, SvcError
from ._webhook import WebhookError, verify_webhook

__all__ = ["AsyncClient", "AsyncJob", "Client", "Job", "Retry", "SvcError", "WebhookError", "verify_webhook"]
