"""Runs the examples of a page, a JSON list from stdin, in one process, and writes what each printed as a JSON list."""

import contextlib
import io
import json
import sys

printed = []
for code in json.load(sys.stdin):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, "example", "exec"), {"__name__": "__main__"})
    printed.append(out.getvalue())
json.dump(printed, sys.stdout)
