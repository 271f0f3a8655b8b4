"""What the drivers share: requests as JSON lines on stdin, answers as JSON lines on stdout."""

import json
import sys
import threading
import traceback
import uuid
from concurrent.futures import ThreadPoolExecutor

import httpx2

WORKERS = 4


class Unsayable(Exception):
    """What the SDK has no way to say."""


class Wire:
    """One HTTP client for all calls, which keeps the head of the last response of each thread."""

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


def empty_answer():
    return {
        "ref": str(uuid.uuid4()),
        "error": None,
        "id": "",
        "model": "",
        "text": "",
        "refusal": "",
        "thoughts": "",
        "seals": [],
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
        "disorder": "",
    }


def empty_other():
    return {"error": None, "models": [], "tokens": None, "embeddings": [], "headers": {}}


def input_of(text):
    """JSON of a call's input; a text that is none stays a text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def extra(value, name):
    """A field that the SDK does not know but keeps."""
    return (getattr(value, "model_extra", None) or {}).get(name)


def serve(driver):
    """Answers requests until stdin ends. Several run at a time, as several threads of a program would."""
    # What SDKs print goes to stderr: stdout is for answers.
    out = sys.stdout
    sys.stdout = sys.stderr
    writing = threading.Lock()

    def run(line):
        request = json.loads(line)
        reply = {"number": request["number"]}
        driver.wire.begin()
        try:
            handle = driver.ask if request["method"] == "ask" else driver.other
            reply["result"] = handle(request["target"], request["argument"])
            reply["result"]["headers"] = driver.wire.headers
        except Unsayable as error:
            reply["unsayable"] = str(error)
        except Exception:
            reply["fault"] = traceback.format_exc()
        with writing:
            out.write(json.dumps(reply) + "\n")
            out.flush()

    with ThreadPoolExecutor(WORKERS) as pool:
        for line in sys.stdin:
            pool.submit(run, line)
