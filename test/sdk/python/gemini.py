"""generateContent by the PyPI package `google-genai`."""

from drive import Unsupported, Wire, empty_other, empty_result, empty_run, extra, serve
from google import genai
from google.genai import errors, types

LEVELS = {"low": "LOW", "medium": "MEDIUM", "high": "HIGH"}


class Driver:
    def __init__(self):
        self.wire = Wire()
        self.carried = {}

    def models_of(self, target):
        options = types.HttpOptions(
            base_url=target["baseUrl"],
            httpx_client=self.wire.client,
            **({"api_version": target["apiVersion"]} if "apiVersion" in target else {}),
        )
        client = genai.Client(api_key=target["key"], http_options=options)
        # The client must live as long as its models, which use it.
        client.models.owner = client
        return client.models

    def other(self, target, call):
        models = self.models_of(target)
        result = empty_other()
        try:
            if call["call"] == "models":
                result["models"] = [model.name for model in models.list()]
            elif call["call"] == "model":
                result["models"] = [models.get(model=call["model"]).name]
            elif call["call"] == "count":
                # For the Gemini API, the SDK's count_tokens accepts contents only.
                request = self.request_of(call["ask"])
                counted = models.count_tokens(model=request["model"], contents=request["contents"])
                result["tokens"] = counted.total_tokens
            else:
                dimensions = call.get("dimensions")
                config = types.EmbedContentConfig(output_dimensionality=dimensions) if dimensions else None
                made = models.embed_content(model=call["model"], contents=call["texts"], config=config)
                result["embeddings"] = [each.values for each in made.embeddings]
        except errors.APIError as error:
            result["error"] = sdk_error(error)
        return result

    def ask(self, target, ask):
        result = empty_result()
        request = self.request_of(ask)
        models = self.models_of(target)
        contents = []
        try:
            if ask["stream"]:
                stream = models.generate_content_stream(**request)
                for chunk in stream:
                    read_response(chunk, result, contents)
                    if result["pieces"] == ask.get("disconnectAfter"):
                        stream.close()
                        break
            else:
                read_response(models.generate_content(**request), result, contents)
            self.carried[result["ref"]] = contents
        except errors.APIError as error:
            result["error"] = sdk_error(error)
        return result

    def run(self, target, given):
        """Automatic function calling: the SDK reads name and schema from the function."""
        result = empty_run()

        def get_weather(city: str) -> str:
            """Tells the weather of a city."""
            result["inputs"].append({"city": city})
            return given["output"]

        request = {"model": given["model"], "contents": given["prompt"], "config": {"tools": [get_weather]}}
        models = self.models_of(target)
        try:
            if given["stream"]:
                result["text"] = "".join(chunk.text or "" for chunk in models.generate_content_stream(**request))
            else:
                result["text"] = models.generate_content(**request).text
        except errors.APIError as error:
            result["error"] = sdk_error(error)
        return result

    def request_of(self, ask):
        if any(key in ask for key in ("cacheHint", "userId", "singleCall")):
            raise Unsupported("cache hints, user ids, one call at most")
        contents = []
        for turn in ask["turns"]:
            role = turn["role"]
            if role == "user":
                contents.append({"role": "user", "parts": [part_of(part) for part in turn["parts"]]})
            elif role == "assistant":
                contents.append({"role": "model", "parts": [{"text": turn["text"]}]})
            elif role == "instructions":
                raise Unsupported("instructions in mid-conversation")
            elif role == "carried":
                contents.extend(self.carried[turn["ref"]])
            else:
                contents.append({"role": "user", "parts": [result_of(result) for result in turn["results"]]})
        return {"model": ask["model"], "contents": contents, "config": config_of(ask)}


def config_of(ask):
    fields = {
        "system": "system_instruction",
        "maxTokens": "max_output_tokens",
        "temperature": "temperature",
        "topK": "top_k",
        "seed": "seed",
        "presencePenalty": "presence_penalty",
        "choices": "candidate_count",
        "stop": "stop_sequences",
        "logprobs": "logprobs",
    }
    config = {name: ask[key] for key, name in fields.items() if key in ask}
    if "logprobs" in ask:
        config["response_logprobs"] = True
    if "schema" in ask:
        config["response_mime_type"] = "application/json"
        if ask["schema"] != "any":
            config["response_json_schema"] = ask["schema"]
    if "tools" in ask:
        config["tools"] = [{"function_declarations": [tool_of(tool) for tool in ask["tools"]]}]
        config["automatic_function_calling"] = {"disable": True}
    choice = ask.get("toolChoice")
    if choice == "none":
        config["tool_config"] = {"function_calling_config": {"mode": "NONE"}}
    elif choice is not None:
        names = None if choice == "required" else [choice["tool"]] if "tool" in choice else choice["allowed"]
        config["tool_config"] = {"function_calling_config": {"mode": "ANY", "allowed_function_names": names}}
    reasoning = ask.get("reasoning")
    if reasoning == "off":
        config["thinking_config"] = {"thinking_budget": 0}
    elif reasoning is not None:
        how = (
            {"thinking_budget": reasoning["budget"]}
            if "budget" in reasoning
            else {"thinking_level": LEVELS[reasoning["effort"]]}
        )
        config["thinking_config"] = {"include_thoughts": True, **how}
    return types.GenerateContentConfig(**config)


def read_response(response, result, contents):
    """Reads a response or its next chunk. Like the SDK's own chats, keeps each chunk as a content."""
    result["id"] = response.response_id or result["id"]
    result["model"] = response.model_version or result["model"]
    candidates = response.candidates or []
    result["choices"] = max([result["choices"], *((each.index or 0) + 1 for each in candidates)])
    for candidate in candidates:
        if candidate.index:
            continue
        if candidate.finish_reason is not None:
            result["finish"] = candidate.finish_reason.value
        grounding = candidate.grounding_metadata
        for page in (grounding and grounding.grounding_chunks) or []:
            result["cited"].append(page.web.uri)
        sources = candidate.citation_metadata
        result["cited"] += [source.uri for source in (sources and sources.citations) or []]
        logprobs = candidate.logprobs_result
        for each in (logprobs and logprobs.top_candidates) or []:
            result["logprobs"] += 1 if each.candidates else 0
        if candidate.content is None or not candidate.content.parts:
            continue
        contents.append(candidate.content)
        for part in candidate.content.parts:
            read_part(part, result)
    feedback = response.prompt_feedback
    if feedback and feedback.block_reason:
        result["finish"] = feedback.block_reason.value
    usage = response.usage_metadata
    if usage is None:
        return
    cache_read = usage.cached_content_token_count or 0
    result["usage"] = {
        "input": (usage.prompt_token_count or 0) - cache_read,
        "cacheRead": cache_read,
        "cacheWrite": 0,
        "output": usage.candidates_token_count or 0,
        "reasoning": usage.thoughts_token_count or 0,
    }
    result["cost"] = cost_of(response, result["cost"])


def cost_of(response, before):
    """The SDK keeps only the fields it knows, so the cost is read from the response as it came."""
    cost = extra(response.usage_metadata, "cost")
    return before if cost is None else cost


def read_part(part, result):
    if part.thought_signature is not None:
        result["signatures"].append(part.thought_signature.decode("latin-1"))
    if part.thought:
        result["thoughts"] += part.text or ""
    elif part.text:
        result["text"] += part.text
        result["pieces"] += 1
    call = part.function_call
    if call is not None:
        result["calls"].append({"id": call.id or "", "name": call.name or "", "input": call.args or {}})
        result["inputPieces"] += 1


def sdk_error(error):
    return {"kind": type(error).__name__, "status": error.code, "reported": str(error)}


def tool_of(tool):
    if tool.get("strict"):
        raise Unsupported("strict tools")
    return {
        "name": tool["name"],
        "description": tool["description"],
        "parameters_json_schema": tool["parameters"],
    }


def result_of(result):
    response = {"error" if result.get("isError") else "output": result["output"]}
    function = {"name": result["name"], "response": response}
    if result["callId"]:
        function["id"] = result["callId"]
    if "image" in result:
        image = result["image"]
        function["parts"] = [{"inline_data": {"mime_type": image["mediaType"], "data": image["data"]}}]
    return {"function_response": function}


def part_of(part):
    if "text" in part:
        return {"text": part["text"]}
    if "audio" in part:
        audio = part["audio"]
        return {"inline_data": {"mime_type": f"audio/{audio['format']}", "data": audio["data"]}}
    media = part["image"] if "image" in part else part["file"]
    if "url" in media:
        return {"file_data": {"file_uri": media["url"], "mime_type": media["mediaType"]}}
    return {"inline_data": {"mime_type": media["mediaType"], "data": media["data"]}}


if __name__ == "__main__":
    serve(Driver())
