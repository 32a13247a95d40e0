"""Keeps a copy of all plants in a file, in which every id is exact: python3 follow.py <file>"""

import http.client
import itertools
import json
import os
import random
import re
import sys
import time
import urllib.error
import urllib.request

# The service waits 25 s for a change. A reply may take longer, and only then has the connection failed.
TIMEOUT_S = 35
RETRIED = {408, 425, 429, 500, 502, 503, 504}
CURSOR_EXPIRED = 40011
EMPTY = '{"next": "0", "plants": {}}'


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """urllib would send the token on to wherever a redirect leads."""
    def redirect_request(self, *_):
        return None


OPENER = urllib.request.build_opener(NoRedirects)


def get_changes(after):
    """Returns the status and the body of a reply that needs no retry: of a page, or of an error."""
    base_url = os.environ.get("PLANT_STORE_URL", "http://127.0.0.1:3000")
    url = f"{base_url}/changes?after={after}&limit=1000&wait=25"
    headers = {"Authorization": f"Bearer {os.environ['PLANT_STORE_TOKEN']}"}
    request = urllib.request.Request(url, headers=headers)
    for attempt in itertools.count():
        delay = random.random() * min(30, 0.5 * 2**attempt)
        try:
            try:
                reply = OPENER.open(request, timeout=TIMEOUT_S)
                return reply.status, json.load(reply)
            except urllib.error.HTTPError as reply:
                problem = f"status {reply.code}"
                if reply.code not in RETRIED:
                    return reply.code, json.load(reply)
                asked = reply.headers.get("Retry-After", "")
                delay = int(asked) if asked.isdecimal() else delay
        except (OSError, http.client.HTTPException, ValueError) as error:
            problem = error
        print(f"Trying again in {delay:.1f} s: {problem}", file=sys.stderr)
        time.sleep(delay)


def save(file, copy):
    """Replaces the file at once: it always has a copy and the cursor that belongs to it."""
    with open(file + ".new", "w", encoding="utf-8") as new:
        json.dump(copy, new)
        new.flush()
        os.fsync(new.fileno())
    os.replace(file + ".new", file)


def main(file):
    copy = json.load(open(file, encoding="utf-8")) if os.path.exists(file) else json.loads(EMPTY)
    while True:
        status, page = get_changes(copy["next"])
        if status != 200 and page["error"] == CURSOR_EXPIRED:
            print("A backup was restored: reading everything again.", file=sys.stderr)
            copy = json.loads(EMPTY)
            continue
        if status != 200:
            sys.exit(f"{page['message']} (error {page['error']})")
        for change in page["changes"]:
            copy["plants"].pop(change["idText"], None)
            if change["kind"] != "deleted":
                copy["plants"][change["idText"]] = change["plant"]
        if page["next"] != copy["next"]:
            copy["next"] = page["next"]
            save(file, copy)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: python3 follow.py <file>")
    # The characters of RFC 6750, section 2.1. A header with another one would be shown in an error, token included.
    if not re.fullmatch(r"[A-Za-z0-9._~+/-]+=*", os.environ.get("PLANT_STORE_TOKEN", "")):
        sys.exit("PLANT_STORE_TOKEN is not an access token.")
    main(sys.argv[1])
