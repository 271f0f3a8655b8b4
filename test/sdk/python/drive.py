"""Shared by the drivers: reads requests as JSON lines from stdin, writes results as JSON lines to stdout."""

import json
import sys
import threading
import traceback
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx2

WORKERS = 4


class Unsupported(Exception):
    """The SDK cannot express a request."""


class Wire:
    """One HTTP client for all calls, which records the headers of the last response of each thread."""

    def __init__(self):
        self._last = threading.local()
        self.client = httpx2.Client(verify=False, timeout=60, event_hooks={"response": [self._keep]})

    def _keep(self, response):
        self._last.headers = dict(response.headers)

    def begin(self):
        self._last.headers = {}

    @property
    def headers(self):
        return self._last.headers


def empty_result():
    return {
        "ref": str(uuid.uuid4()),
        "error": None,
        "id": "",
        "model": "",
        "text": "",
        "refusal": "",
        "thoughts": "",
        "signatures": [],
        "calls": [],
        "finish": "",
        "stopSequence": "",
        "usage": None,
        "cost": None,
        "choices": 0,
        "logprobs": 0,
        "cited": [],
        "pieces": 0,
        "inputPieces": 0,
        "headers": {},
        "violation": "",
    }


def empty_other():
    return {"error": None, "models": [], "tokens": None, "embeddings": [], "headers": {}}


def empty_run():
    return {"error": None, "text": "", "inputs": []}


def sdk_error(error):
    """An error of the OpenAI or Anthropic SDK."""
    return {
        "kind": type(error).__name__,
        "status": getattr(error, "status_code", None),
        "reported": f"{error} {error.body or ''}",
    }


def input_of(text):
    """Parses a call's input; a text that is not JSON is returned unchanged."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def extra(value, name):
    """A field that the SDK keeps without knowing it."""
    return (getattr(value, "model_extra", None) or {}).get(name)


def serve(driver):
    """Handles requests until stdin ends, several at a time in threads."""
    # SDKs may print: stdout is for results only.
    out = sys.stdout
    sys.stdout = sys.stderr
    writing = threading.Lock()

    def run(line):
        request = json.loads(line)
        reply = {"number": request["number"]}
        driver.wire.begin()
        try:
            handle = getattr(driver, request["method"])
            reply["result"] = handle(request["target"], request["argument"])
            reply["result"]["headers"] = driver.wire.headers
        except Unsupported as error:
            reply["unsupported"] = str(error)
        except Exception:
            reply["fault"] = traceback.format_exc()
        with writing:
            out.write(json.dumps(reply) + "\n")
            out.flush()

    with ThreadPoolExecutor(WORKERS) as pool:
        for line in sys.stdin:
            pool.submit(run, line)
