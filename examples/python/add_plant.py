"""Stores one plant: python3 add_plant.py <id> <name> [tag]

The URL and the token come from PLANT_STORE_URL and PLANT_STORE_TOKEN. Python's integers are exact, and so are its ids.
"""

import http.client
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request

RETRIES = 2
ATTEMPT_TIMEOUT_S = 10
# For a call as a whole. A delay that would exceed it is not started.
TIMEOUT_S = 30
RETRIED = {408, 425, 429, 500, 502, 503, 504}


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """urllib would send the token on to wherever a redirect leads, and turn the POST into a GET."""

    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def create_plant(base_url, token, plant):
    """Creates a plant, `{"id": int, "name": str}` and optionally `"tag": str`; retries what may be retried.

    Returns the status, the body as bytes, and the headers. Raises OSError or http.client.HTTPException if there was no
    reply: the plant may be stored, and the same call can be made again, since nothing is stored twice.
    """
    request = urllib.request.Request(
        base_url.rstrip("/") + "/plants",
        data=json.dumps(plant).encode(),
        headers={
            "Authorization": "Bearer " + token,
            "Content-Type": "application/json",
            "Accept": "application/json",
        },
        method="POST",
    )
    deadline = time.monotonic() + TIMEOUT_S
    for attempt in range(RETRIES + 1):
        # At most 0.2 seconds before the first retry, 0.4 before the second.
        delay = random.random() * 0.2 * 2**attempt
        reply, error = None, None
        try:
            with OPENER.open(request, timeout=ATTEMPT_TIMEOUT_S) as response:
                return response.status, response.read(), response.headers
        except urllib.error.HTTPError as response:
            asked = response.headers.get("Retry-After", "")
            delay = int(asked) if asked.isdecimal() else delay
            try:
                reply = response.code, response.read(), response.headers
            except (OSError, http.client.HTTPException) as failure:
                error = failure
            else:
                if response.code not in RETRIED:
                    return reply
        except (OSError, http.client.HTTPException) as failure:
            error = failure
        if attempt == RETRIES or time.monotonic() + delay > deadline:
            break
        time.sleep(delay)
    if error is not None:
        raise error
    return reply


def main(arguments):
    if not 2 <= len(arguments) <= 3 or not re.fullmatch(r"-?[0-9]+", arguments[0]):
        print("Usage: python3 add_plant.py <id> <name> [tag]", file=sys.stderr)
        return 2
    plant = dict(zip(("id", "name", "tag"), (int(arguments[0]), *arguments[1:])))
    token = os.environ.get("PLANT_STORE_TOKEN", "")
    # The characters of RFC 6750, section 2.1. A header with another one would be shown in an error, token included.
    if not re.fullmatch(r"[A-Za-z0-9._~+/-]+=*", token):
        print("PLANT_STORE_TOKEN is not an access token.", file=sys.stderr)
        return 2
    base_url = os.environ.get("PLANT_STORE_URL", "http://127.0.0.1:3000")
    try:
        status, body, headers = create_plant(base_url, token, plant)
    except (OSError, http.client.HTTPException) as error:
        print(f"No reply: {error}. Run the same command again: nothing is stored twice.", file=sys.stderr)
        return 1
    if status == 200:
        replayed = headers.get("Idempotent-Replayed") == "true"
        print(plant["id"], "was there already" if replayed else "is stored")
        return 0
    try:
        reply = json.loads(body)
        print(f'{plant["id"]} is rejected: {reply["message"]} (error {reply["error"]})', file=sys.stderr)
    except (ValueError, TypeError, KeyError):
        print(f"Something other than Plant Store answered with status {status}.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
