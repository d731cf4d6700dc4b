"""Posts of the service, signed by the Standard Webhooks scheme."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from typing import Any, Dict, Mapping, Optional

_TOLERANCE = 5 * 60  # seconds


class WebhookError(Exception):
    """A post that is not the service's, or too old."""


def verify_webhook(headers: Mapping[str, str], body: bytes, secret: str, now: Optional[float] = None) -> Dict[str, Any]:
    """What was posted, once one of its signatures is right.

    body is what came, before anything read it. The names of headers may be in any case.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id_, stamp, signatures = (given.get("webhook-" + name, "") for name in ("id", "timestamp", "signature"))
    if not id_ or not re.fullmatch("[0-9]{1,15}", stamp) or not signatures:
        raise WebhookError("the webhook headers are missing or malformed")
    key = base64.b64decode(secret[len("whsec_"):], validate=True)
    if not secret.startswith("whsec_") or not key:
        raise ValueError("the secret must be whsec_ and base64")
    if abs((time.time() if now is None else now) - int(stamp)) > _TOLERANCE:
        raise WebhookError("the post is too old, or from the future")
    want = hmac.new(key, f"{id_}.{stamp}.".encode(errors="replace") + body, hashlib.sha256).digest()
    for signature in signatures.split(" "):
        if not signature.startswith("v1,"):
            continue
        try:
            got = base64.b64decode(signature[len("v1,"):], validate=True)
        except (binascii.Error, ValueError):
            continue
        if hmac.compare_digest(got, want):
            return json.loads(body)
    raise WebhookError("none of the post's signatures is valid")
