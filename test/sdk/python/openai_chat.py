"""Chat completions by the PyPI package `openai`."""

from contextlib import suppress

import openai
from drive import Unsupported, Wire, empty_result, extra, input_of, sdk_error, serve
from openai_clients import client_of, other


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
            read = self.streamed if ask["stream"] else self.buffered
            self.carried[result["ref"]] = read(client, body, ask, result)
        except openai.APIError as error:
            result["error"] = sdk_error(error)
        return result

    def buffered(self, client, body, _ask, result):
        completion = client.chat.completions.create(**body)
        read_head(completion, result)
        result["choices"] = len(completion.choices)
        choice = completion.choices[0]
        message = choice.message
        result["text"] = message.content or ""
        result["pieces"] = 1
        result["refusal"] = message.refusal or ""
        result["finish"] = choice.finish_reason
        result["logprobs"] = count_logprobs(choice.logprobs)
        result["cited"] = [note.url_citation.url for note in message.annotations or []]
        read_message(message.to_dict(), result)
        return message

    def streamed(self, client, body, ask, result):
        message = {"role": "assistant"}
        choices = set()
        with client.chat.completions.stream(**body, stream_options={"include_usage": True}) as stream:
            for event in stream:
                if event.type != "chunk":
                    continue
                read_head(event.chunk, result)
                for choice in event.chunk.choices:
                    choices.add(choice.index)
                    if choice.index == 0:
                        read_choice(choice, message, result)
                if result["pieces"] == ask.get("disconnectAfter"):
                    return message
            assembled = result["text"]
            # Raised for a response that was cut short.
            with suppress(openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError):
                assembled = stream.get_final_completion().choices[0].message.content or ""
        result["choices"] = len(choices)
        message["content"] = result["text"] or None
        if assembled != result["text"]:
            raise AssertionError(f"the SDK assembled the chunks as {assembled}")
        read_message(message, result)
        return message

    def run(self, _target, _given):
        raise Unsupported("running tools")

    def request_of(self, ask):
        if "topK" in ask:
            raise Unsupported("top k")
        messages = [{"role": "system", "content": ask["system"]}] if "system" in ask else []
        for turn in ask["turns"]:
            role = turn["role"]
            if role == "user":
                messages.append({"role": "user", "content": content_of(turn["parts"])})
            elif role == "assistant":
                messages.append({"role": "assistant", "content": turn["text"]})
            elif role == "instructions":
                messages.append({"role": "developer", "content": turn["text"]})
            elif role == "carried":
                messages.append(self.carried[turn["ref"]])
            else:
                messages.extend(result_of(result) for result in turn["results"])
        body = {"model": ask["model"], "messages": messages}
        fields = {
            "maxTokens": "max_completion_tokens",
            "temperature": "temperature",
            "seed": "seed",
            "presencePenalty": "presence_penalty",
            "choices": "n",
            "stop": "stop",
            "userId": "safety_identifier",
        }
        body.update({name: ask[key] for key, name in fields.items() if key in ask})
        if "logprobs" in ask:
            body.update(logprobs=True, top_logprobs=ask["logprobs"])
        if ask.get("cacheHint"):
            body["prompt_cache_key"] = "conversation-1"
        if ask.get("singleCall"):
            body["parallel_tool_calls"] = False
        if "tools" in ask:
            body["tools"] = [{"type": "function", "function": tool} for tool in ask["tools"]]
        if "toolChoice" in ask:
            body["tool_choice"] = tool_choice_of(ask["toolChoice"])
        schema = ask.get("schema")
        if schema == "any":
            body["response_format"] = {"type": "json_object"}
        elif schema is not None:
            form = {"name": "result", "schema": schema, "strict": True}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        reasoning = ask.get("reasoning")
        if reasoning == "off":
            body["reasoning_effort"] = "none"
        elif reasoning is not None:
            if "effort" not in reasoning:
                raise Unsupported("a budget of thought")
            body["reasoning_effort"] = reasoning["effort"]
        return body


def read_head(value, result):
    result["id"] = value.id
    result["model"] = value.model
    usage = value.usage
    if usage is None:
        return
    inputs, outputs = usage.prompt_tokens_details, usage.completion_tokens_details
    cache_read = (inputs and inputs.cached_tokens) or 0
    cache_write = (inputs and getattr(inputs, "cache_write_tokens", None)) or 0
    reasoning = (outputs and outputs.reasoning_tokens) or 0
    result["usage"] = {
        "input": usage.prompt_tokens - cache_read - cache_write,
        "cacheRead": cache_read,
        "cacheWrite": cache_write,
        "output": usage.completion_tokens - reasoning,
        "reasoning": reasoning,
    }
    result["cost"] = extra(usage, "cost")


def read_choice(choice, message, result):
    delta = choice.delta
    result["finish"] = choice.finish_reason or result["finish"]
    result["logprobs"] += count_logprobs(choice.logprobs)
    for note in extra(delta, "annotations") or getattr(delta, "annotations", None) or []:
        result["cited"].append(note["url_citation"]["url"])
    result["text"] += delta.content or ""
    result["refusal"] += delta.refusal or ""
    result["pieces"] += 1 if delta.content else 0
    thought = extra(delta, "reasoning_content") or ""
    if thought:
        message["reasoning_content"] = message.get("reasoning_content", "") + thought
    for piece in extra(delta, "reasoning_details") or []:
        merge_detail(message.setdefault("reasoning_details", []), piece)
    for call in delta.tool_calls or []:
        result["inputPieces"] += merge_call(message.setdefault("tool_calls", []), call)


def merge_detail(details, piece):
    """Pieces of one detail have its index; texts grow, other fields come once."""
    for known in details:
        if known.get("index") == piece.get("index"):
            for key, value in piece.items():
                known[key] = known[key] + value if key in ("text", "summary") and key in known else value
            return
    details.append(dict(piece))


def merge_call(calls, piece):
    spelled = (piece.function and piece.function.arguments) or ""
    if piece.index < len(calls):
        call = calls[piece.index]
        call["function"]["arguments"] += spelled
        call.update(piece.model_extra or {})
    else:
        if piece.index != len(calls) or not piece.id or not piece.function or not piece.function.name:
            raise AssertionError(f"a call begins with {piece}")
        function = {"name": piece.function.name, "arguments": spelled}
        calls.append({"id": piece.id, "type": "function", "function": function, **(piece.model_extra or {})})
    return 1 if spelled else 0


def read_message(message, result):
    result["thoughts"] = message.get("reasoning_content") or ""
    for call in message.get("tool_calls") or []:
        function = call["function"]
        result["calls"].append(
            {"id": call["id"], "name": function["name"], "input": input_of(function["arguments"])}
        )
        signature = call.get("extra_content", {}).get("google", {}).get("thought_signature")
        if signature:
            result["signatures"].append(signature)
    for detail in message.get("reasoning_details") or []:
        signature = detail.get("signature") or detail.get("data")
        if signature:
            result["signatures"].append(signature)


def count_logprobs(logprobs):
    tokens = (logprobs and logprobs.content) or []
    return sum(1 for token in tokens if token.top_logprobs)


def tool_choice_of(choice):
    if isinstance(choice, str):
        return choice
    if "tool" in choice:
        return {"type": "function", "function": {"name": choice["tool"]}}
    tools = [{"type": "function", "function": {"name": name}} for name in choice["allowed"]]
    return {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": tools}}


def result_of(result):
    if "image" in result or result.get("isError"):
        raise Unsupported("images and errors of tools")
    return {"role": "tool", "tool_call_id": result["callId"], "content": result["output"]}


def content_of(parts):
    if len(parts) == 1 and "text" in parts[0]:
        return parts[0]["text"]
    return [part_of(part) for part in parts]


def part_of(part):
    if "text" in part:
        return {"type": "text", "text": part["text"]}
    if "image" in part:
        image = part["image"]
        url = image["url"] if "url" in image else f"data:{image['mediaType']};base64,{image['data']}"
        return {"type": "image_url", "image_url": {"url": url}}
    if "audio" in part:
        return {"type": "input_audio", "input_audio": part["audio"]}
    file = part["file"]
    if "url" in file:
        raise Unsupported("a URL of a file")
    data = f"data:{file['mediaType']};base64,{file['data']}"
    return {"type": "file", "file": {"filename": file["filename"], "file_data": data}}


if __name__ == "__main__":
    serve(Driver())
