"""Shared by chat completions and Responses of the PyPI package `openai`."""

import openai
from drive import Unsupported, empty_other, sdk_error


def client_of(target, wire):
    return openai.OpenAI(
        api_key=target["key"], base_url=target["baseUrl"], max_retries=0, http_client=wire.client
    )


def other(target, call, wire):
    client = client_of(target, wire)
    result = empty_other()
    try:
        if call["call"] == "models":
            result["models"] = [model.id for model in client.models.list()]
        elif call["call"] == "model":
            result["models"] = [client.models.retrieve(call["model"]).id]
        elif call["call"] == "embed":
            dimensions = {"dimensions": call["dimensions"]} if "dimensions" in call else {}
            made = client.embeddings.create(model=call["model"], input=call["texts"], **dimensions)
            result["embeddings"] = [each.embedding for each in made.data]
            result["tokens"] = made.usage.prompt_tokens
        else:
            raise Unsupported("counting tokens")
    except openai.APIError as error:
        result["error"] = sdk_error(error)
    return result
