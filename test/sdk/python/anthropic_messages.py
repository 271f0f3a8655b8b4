"""Messages by the PyPI package `anthropic`."""

import anthropic
from drive import Unsupported, Wire, empty_other, empty_result, empty_run, extra, sdk_error, serve

# The SDK requires a limit; a program that needs none sends a large one.
DEFAULT_MAX_TOKENS = 4096


class Driver:
    def __init__(self):
        self.wire = Wire()
        self.carried = {}

    def client_of(self, target):
        credential = {"auth_token" if target.get("asBearer") else "api_key": target["key"]}
        return anthropic.Anthropic(
            **credential, base_url=target["baseUrl"], max_retries=0, http_client=self.wire.client
        )

    def other(self, target, call):
        client = self.client_of(target)
        result = empty_other()
        try:
            if call["call"] == "models":
                result["models"] = [model.id for model in client.models.list()]
            elif call["call"] == "model":
                result["models"] = [client.models.retrieve(call["model"]).id]
            elif call["call"] == "count":
                body = self.request_of(call["ask"])
                fields = {key: body[key] for key in ("model", "messages", "system", "tools") if key in body}
                result["tokens"] = client.messages.count_tokens(**fields).input_tokens
            else:
                raise Unsupported("embeddings")
        except anthropic.APIError as error:
            result["error"] = sdk_error(error)
        return result

    def ask(self, target, ask):
        result = empty_result()
        body = self.request_of(ask)
        client = self.client_of(target)
        try:
            message = streamed(client, body, ask, result) if ask["stream"] else client.messages.create(**body)
            if message is not None:
                read_message(message, result)
                self.carried[result["ref"]] = {"role": "assistant", "content": message.content}
        except anthropic.APIError as error:
            result["error"] = sdk_error(error)
        return result

    def run(self, target, given):
        """The runner of `beta.messages`."""
        result = empty_run()
        tool = given["tool"]

        def call(**arguments):
            result["inputs"].append(arguments)
            return given["output"]

        runnable = anthropic.beta_tool(
            call, name=tool["name"], description=tool["description"], input_schema=tool["parameters"]
        )
        try:
            message = self.client_of(target).beta.messages.tool_runner(
                model=given["model"],
                max_tokens=DEFAULT_MAX_TOKENS,
                messages=[{"role": "user", "content": given["prompt"]}],
                tools=[runnable],
                stream=given["stream"],
            ).until_done()
            result["text"] = "".join(block.text for block in message.content if block.type == "text")
        except anthropic.APIError as error:
            result["error"] = sdk_error(error)
        return result

    def request_of(self, ask):
        if any(key in ask for key in ("seed", "presencePenalty", "choices", "logprobs")) or ask.get("schema") == "any":
            raise Unsupported("seeds, penalties, choices, logprobs, any JSON")
        messages = []
        for turn in ask["turns"]:
            role = turn["role"]
            if role == "user":
                messages.append({"role": "user", "content": content_of(turn["parts"], ask.get("cacheHint"))})
            elif role == "assistant":
                messages.append({"role": "assistant", "content": turn["text"]})
            elif role == "instructions":
                messages.append({"role": "system", "content": turn["text"]})
            elif role == "carried":
                messages.append(self.carried[turn["ref"]])
            else:
                messages.append({"role": "user", "content": [result_of(result) for result in turn["results"]]})
        body = {"model": ask["model"], "messages": messages, "max_tokens": ask.get("maxTokens", DEFAULT_MAX_TOKENS)}
        # The newest models accept neither, so the SDK has neither parameter; the protocol has both.
        untyped = {"temperature": "temperature", "topK": "top_k"}
        rest = {name: ask[key] for key, name in untyped.items() if key in ask}
        if rest:
            body["extra_body"] = rest
        if "system" in ask:
            body["system"] = ask["system"]
        if "stop" in ask:
            body["stop_sequences"] = ask["stop"]
        if "userId" in ask:
            body["metadata"] = {"user_id": ask["userId"]}
        if "tools" in ask:
            body["tools"] = [tool_of(tool) for tool in ask["tools"]]
        if "toolChoice" in ask:
            body["tool_choice"] = tool_choice_of(ask["toolChoice"])
        if ask.get("singleCall"):
            body["tool_choice"] = {"type": "auto", "disable_parallel_tool_use": True}
        if "schema" in ask:
            body["output_config"] = {"format": {"type": "json_schema", "schema": ask["schema"]}}
        reasoning = ask.get("reasoning")
        if reasoning == "off":
            body["thinking"] = {"type": "disabled"}
        elif reasoning is not None:
            if "budget" not in reasoning:
                raise Unsupported("an effort")
            body["thinking"] = {"type": "enabled", "budget_tokens": reasoning["budget"], "display": "summarized"}
        return body


def streamed(client, body, ask, result):
    """Reads events to the end. Returns None if it disconnected earlier."""
    with client.messages.stream(**body) as stream:
        for event in stream:
            # The SDK drops unknown fields from the message that it assembles.
            if event.type == "message_delta":
                result["cost"] = extra(event.usage, "cost")
            if event.type != "content_block_delta":
                continue
            if event.delta.type == "input_json_delta" and event.delta.partial_json:
                result["inputPieces"] += 1
            if event.delta.type != "text_delta":
                continue
            result["pieces"] += 1
            if result["pieces"] == ask.get("disconnectAfter"):
                return None
        return stream.get_final_message()


def read_message(message, result):
    result["id"] = message.id
    result["model"] = message.model
    result["choices"] = 1
    result["pieces"] = result["pieces"] or 1
    result["finish"] = message.stop_reason or ""
    result["stopSequence"] = message.stop_sequence or ""
    for block in message.content:
        if block.type == "text":
            result["text"] += block.text
            result["cited"] += [getattr(citation, "url", "") for citation in block.citations or []]
        elif block.type == "thinking":
            result["thoughts"] += block.thinking
            result["signatures"].append(block.signature)
        elif block.type == "redacted_thinking":
            result["signatures"].append(block.data)
        elif block.type == "tool_use":
            result["calls"].append({"id": block.id, "name": block.name, "input": block.input})
        else:
            raise AssertionError(f"a block of type {block.type} is unexpected")
    usage = message.usage
    details = getattr(usage, "output_tokens_details", None)
    reasoning = (details and details.thinking_tokens) or 0
    result["usage"] = {
        "input": usage.input_tokens,
        "cacheRead": usage.cache_read_input_tokens or 0,
        "cacheWrite": usage.cache_creation_input_tokens or 0,
        "output": usage.output_tokens - reasoning,
        "reasoning": reasoning,
    }
    if result["cost"] is None:
        result["cost"] = extra(usage, "cost")


def tool_of(tool):
    strict = {"strict": True} if tool.get("strict") else {}
    return {"name": tool["name"], "description": tool["description"], "input_schema": tool["parameters"], **strict}


def tool_choice_of(choice):
    if choice == "required":
        return {"type": "any"}
    if choice == "none":
        return {"type": "none"}
    if "tool" not in choice:
        raise Unsupported("some of the tools")
    return {"type": "tool", "name": choice["tool"]}


def result_of(result):
    block = {"type": "tool_result", "tool_use_id": result["callId"], "content": result["output"]}
    if result.get("isError"):
        block["is_error"] = True
    if "image" in result:
        image = result["image"]
        source = {"type": "base64", "media_type": image["mediaType"], "data": image["data"]}
        block["content"] = [{"type": "text", "text": result["output"]}, {"type": "image", "source": source}]
    return block


def content_of(parts, cache_hint):
    if len(parts) == 1 and "text" in parts[0] and not cache_hint:
        return parts[0]["text"]
    return [part_of(part, cache_hint) for part in parts]


def part_of(part, cache_hint):
    if "text" in part:
        mark = {"cache_control": {"type": "ephemeral"}} if cache_hint else {}
        return {"type": "text", "text": part["text"], **mark}
    if "audio" in part:
        raise Unsupported("audio")
    kind, media = ("image", part["image"]) if "image" in part else ("document", part["file"])
    if "url" in media:
        return {"type": kind, "source": {"type": "url", "url": media["url"]}}
    source = {"type": "base64", "media_type": media["mediaType"], "data": media["data"]}
    return {"type": kind, "source": source}


if __name__ == "__main__":
    serve(Driver())
