"""Responses by the PyPI package `openai`."""

import openai
from drive import Unsupported, Wire, empty_result, empty_run, extra, input_of, sdk_error, serve
from openai.lib.responses_tool_runner import RegisteredFunction, ResponsesToolRunner
from openai_clients import client_of, other


class StreamFailed(Exception):
    """The stream reported a failure."""


class Driver:
    def __init__(self):
        self.wire = Wire()
        self.carried = {}

    def other(self, target, call):
        return other(target, call, self.wire)

    def ask(self, target, ask):
        result = empty_result()
        body = self.request_of(ask)
        client = client_of(target, self.wire)
        try:
            response = streamed(client, body, ask, result) if ask["stream"] else client.responses.create(**body)
            if response is not None:
                read_response(response, result)
                # Following the SDK's documentation, the output becomes part of the next input unchanged.
                self.carried[result["ref"]] = [item.to_dict() for item in response.output]
        except openai.APIError as error:
            result["error"] = sdk_error(error)
        except StreamFailed as error:
            result["error"] = {"kind": "response.failed", "status": None, "reported": str(error)}
        return result

    def run(self, target, given):
        """The SDK's runner for responses."""
        result = empty_run()
        tool = {"type": "function", **given["tool"], "strict": False}

        def call(arguments):
            result["inputs"].append(arguments)
            return given["output"]

        runner = ResponsesToolRunner(functions=[RegisteredFunction(tool, call)])
        body = {"model": given["model"], "input": given["prompt"]}
        try:
            response = runner.run(client_of(target, self.wire), body, stream=given["stream"])
            result["text"] = response.output_text
        except openai.APIError as error:
            result["error"] = sdk_error(error)
        return result

    def request_of(self, ask):
        if any(key in ask for key in ("stop", "topK", "seed", "presencePenalty", "choices")):
            raise Unsupported("stop sequences, top k, seeds, penalties and choices")
        items = []
        for turn in ask["turns"]:
            role = turn["role"]
            if role == "user":
                items.append({"role": "user", "content": content_of(turn["parts"])})
            elif role == "assistant":
                items.append({"role": "assistant", "content": turn["text"]})
            elif role == "instructions":
                items.append({"role": "developer", "content": turn["text"]})
            elif role == "carried":
                items.extend(self.carried[turn["ref"]])
            else:
                items.extend(result_of(result) for result in turn["results"])
        body = {"model": ask["model"], "input": items, "store": False}
        fields = {
            "system": "instructions",
            "maxTokens": "max_output_tokens",
            "temperature": "temperature",
            "userId": "safety_identifier",
        }
        body.update({name: ask[key] for key, name in fields.items() if key in ask})
        if ask.get("cacheHint"):
            body["prompt_cache_key"] = "conversation-1"
        if ask.get("singleCall"):
            body["parallel_tool_calls"] = False
        if "logprobs" in ask:
            body.update(top_logprobs=ask["logprobs"], include=["message.output_text.logprobs"])
        if "tools" in ask:
            body["tools"] = [{"type": "function", "strict": False, **tool} for tool in ask["tools"]]
        if "toolChoice" in ask:
            body["tool_choice"] = tool_choice_of(ask["toolChoice"])
        schema = ask.get("schema")
        if schema == "any":
            body["text"] = {"format": {"type": "json_object"}}
        elif schema is not None:
            body["text"] = {"format": {"type": "json_schema", "name": "result", "schema": schema, "strict": True}}
        reasoning = ask.get("reasoning")
        if reasoning == "off":
            body["reasoning"] = {"effort": "none"}
        elif reasoning is not None:
            if "effort" not in reasoning:
                raise Unsupported("a budget of thought")
            body["reasoning"] = {"effort": reasoning["effort"], "summary": "auto"}
            body["include"] = ["reasoning.encrypted_content"]
        return body


def streamed(client, body, ask, result):
    """Reads events to the end. Returns None if it disconnected earlier."""
    text = ""
    sequence = -1
    # The SDK's stream helper accepts only its own strict schemas; a program with its own schema uses this.
    with client.responses.create(**body, stream=True) as stream:
        for event in stream:
            number = getattr(event, "sequence_number", None)
            if number != sequence + 1:
                result["violation"] = result["violation"] or f"{event.type} has number {number} after {sequence}"
            sequence += 1
            if event.type == "response.failed":
                raise StreamFailed(event.response.to_json())
            if event.type == "response.function_call_arguments.delta" and event.delta:
                result["inputPieces"] += 1
            if event.type in ("response.completed", "response.incomplete"):
                if event.response.output_text != text:
                    raise AssertionError(f"the events contain {text}, the response {event.response.output_text}")
                return event.response
            if event.type != "response.output_text.delta":
                continue
            text += event.delta
            result["pieces"] += 1
            if result["pieces"] == ask.get("disconnectAfter"):
                result["text"] = text
                return None
    raise AssertionError("the stream ended without its last event")


def read_response(response, result):
    result["id"] = response.id
    result["model"] = response.model
    result["choices"] = 1
    result["pieces"] = result["pieces"] or 1
    incomplete = response.incomplete_details
    result["finish"] = (incomplete and incomplete.reason) or response.status
    for item in response.output:
        if item.type == "reasoning":
            result["thoughts"] += "".join(part.text for part in [*item.summary, *(item.content or [])])
            if item.encrypted_content:
                result["signatures"].append(item.encrypted_content)
        elif item.type == "function_call":
            result["calls"].append({"id": item.call_id, "name": item.name, "input": input_of(item.arguments)})
        elif item.type == "message":
            for part in item.content:
                if part.type == "refusal":
                    result["refusal"] += part.refusal
                    continue
                result["text"] += part.text
                result["logprobs"] += sum(1 for token in part.logprobs or [] if token.top_logprobs)
                result["cited"] += [note.url for note in part.annotations if note.type == "url_citation"]
    usage = response.usage
    if usage is None:
        return
    inputs = getattr(usage, "input_tokens_details", None)
    outputs = getattr(usage, "output_tokens_details", None)
    if inputs is None or outputs is None:
        result["violation"] = "usage has no details"
    cache_read = getattr(inputs, "cached_tokens", None) or 0
    cache_write = getattr(inputs, "cache_write_tokens", None) or 0
    reasoning = getattr(outputs, "reasoning_tokens", None) or 0
    result["usage"] = {
        "input": usage.input_tokens - cache_read - cache_write,
        "cacheRead": cache_read,
        "cacheWrite": cache_write,
        "output": usage.output_tokens - reasoning,
        "reasoning": reasoning,
    }
    result["cost"] = extra(usage, "cost")


def tool_choice_of(choice):
    if isinstance(choice, str):
        return choice
    if "tool" in choice:
        return {"type": "function", "name": choice["tool"]}
    tools = [{"type": "function", "name": name} for name in choice["allowed"]]
    return {"type": "allowed_tools", "mode": "required", "tools": tools}


def result_of(result):
    if result.get("isError"):
        raise Unsupported("an error of a tool")
    output = result["output"]
    if "image" in result:
        image = result["image"]
        url = f"data:{image['mediaType']};base64,{image['data']}"
        output = [{"type": "input_text", "text": output}, {"type": "input_image", "image_url": url}]
    return {"type": "function_call_output", "call_id": result["callId"], "output": output}


def content_of(parts):
    if len(parts) == 1 and "text" in parts[0]:
        return parts[0]["text"]
    return [part_of(part) for part in parts]


def part_of(part):
    if "text" in part:
        return {"type": "input_text", "text": part["text"]}
    if "image" in part:
        image = part["image"]
        url = image["url"] if "url" in image else f"data:{image['mediaType']};base64,{image['data']}"
        return {"type": "input_image", "image_url": url, "detail": "auto"}
    if "audio" in part:
        raise Unsupported("audio")
    file = part["file"]
    if "url" in file:
        return {"type": "input_file", "file_url": file["url"]}
    data = f"data:{file['mediaType']};base64,{file['data']}"
    return {"type": "input_file", "filename": file["filename"], "file_data": data}


if __name__ == "__main__":
    serve(Driver())
