"""Shared by the drivers: reads programs as JSON lines from stdin, writes results as JSON lines to stdout."""

import asyncio
import json
import sys
import traceback


class Result(dict):
    def __init__(self):
        super().__init__(texts=[], thoughts="", toolInputs=[], object=None, pieces=0, usage=None, error=None)


def run_tool(program, result, city):
    """The tool's output for one city; records its input."""
    result["toolInputs"].append({"city": city})
    return program.get("toolOutput", "").replace("{city}", city)


def program_error(error):
    kinds, status, current = [], None, error
    for _ in range(5):
        if current is None:
            break
        kinds += [kind.__name__ for kind in type(current).__mro__ if kind not in (Exception, BaseException, object)]
        for field in ("status_code", "code"):
            value = getattr(current, field, None)
            if status is None and isinstance(value, int):
                status = value
        current = current.__cause__
    return {"kinds": kinds, "status": status, "message": str(error)}


def serve(run):
    """Handles programs until stdin ends, concurrently in one event loop: frameworks keep connections open between calls."""
    # Frameworks may print: stdout is for results only.
    out = sys.stdout
    sys.stdout = sys.stderr

    async def handle(line):
        request = json.loads(line)
        result = Result()
        reply = {"number": request["number"], "result": result}
        try:
            await run(request["argument"], result)
        except Exception as error:
            if isinstance(error, (TypeError, AttributeError, NameError, ImportError)):
                reply["fault"] = traceback.format_exc()
            result["error"] = program_error(error)
        out.write(json.dumps(reply) + "\n")
        out.flush()

    async def main():
        running = set()
        while line := await asyncio.to_thread(sys.stdin.readline):
            task = asyncio.create_task(handle(line))
            running.add(task)
            task.add_done_callback(running.discard)
        await asyncio.gather(*running)

    asyncio.run(main())
