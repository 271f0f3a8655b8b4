"""What chat completions and Responses share of the PyPI package `openai`."""

import openai
from drive import Unsayable, empty_other


def client_of(target, wire):
    return openai.OpenAI(
        api_key=target["key"], base_url=target["baseUrl"], max_retries=0, http_client=wire.client
    )


def sdk_error(error):
    return {
        "kind": type(error).__name__,
        "status": getattr(error, "status_code", None),
        "reported": f"{error} {error.body or ''}",
    }


def other(target, call, wire):
    client = client_of(target, wire)
    answer = empty_other()
    try:
        if call["call"] == "models":
            answer["models"] = [model.id for model in client.models.list()]
        elif call["call"] == "model":
            answer["models"] = [client.models.retrieve(call["model"]).id]
        elif call["call"] == "embed":
            dimensions = {"dimensions": call["dimensions"]} if "dimensions" in call else {}
            made = client.embeddings.create(model=call["model"], input=call["texts"], **dimensions)
            answer["embeddings"] = [each.embedding for each in made.data]
            answer["tokens"] = made.usage.prompt_tokens
        else:
            raise Unsayable("counting tokens")
    except openai.APIError as error:
        answer["error"] = sdk_error(error)
    return answer
