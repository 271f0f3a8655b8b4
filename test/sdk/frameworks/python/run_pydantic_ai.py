import base64

from pydantic import BaseModel
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.google import GoogleProvider
from pydantic_ai.providers.openai import OpenAIProvider
from serve import run_tool, serve


class Weather(BaseModel):
    city: str
    warm: bool


# The models have names of their own, so pydantic-ai must be given what it derives from names of providers.
REASONS = OpenAIModelProfile(supports_thinking=True, openai_supports_encrypted_reasoning_content=True)

SETTINGS = {
    "openai-chat": {"openai_reasoning_effort": "low"},
    "openai-responses": {"openai_reasoning_effort": "low", "openai_reasoning_summary": "auto"},
    "anthropic": {
        "anthropic_thinking": {"type": "enabled", "budget_tokens": 2048, "display": "summarized"},
        "max_tokens": 8000,
    },
    "google": {"google_thinking_config": {"thinking_budget": 2048, "include_thoughts": True}},
}


def model_of(program):
    way, base_url, model, key = program["way"], program["baseUrl"], program["model"], program["key"]
    if way == "openai-chat":
        return OpenAIChatModel(model, provider=OpenAIProvider(base_url=f"{base_url}/v1", api_key=key))
    if way == "openai-responses":
        provider = OpenAIProvider(base_url=f"{base_url}/v1", api_key=key)
        return OpenAIResponsesModel(model, provider=provider, profile=REASONS)
    if way == "anthropic":
        return AnthropicModel(model, provider=AnthropicProvider(base_url=base_url, api_key=key))
    if way == "google":
        return GoogleModel(model, provider=GoogleProvider(base_url=base_url, api_key=key))
    raise ValueError(way)


async def run(program, result):
    agent = Agent(
        model_of(program),
        instructions=program.get("instructions"),
        output_type=Weather if program.get("object") else str,
        model_settings=SETTINGS[program["way"]] if program.get("reasoning") else None,
    )
    if "toolOutput" in program:

        @agent.tool_plain
        def get_weather(city: str) -> str:
            """Returns the weather of a city."""
            return run_tool(program, result, city)

    history = []
    for prompt in program["prompts"]:
        done = await (streamed if program["stream"] else buffered)(agent, prompt, history, program, result)
        if done is None:
            return
        history = done


async def buffered(agent, prompt, history, program, result):
    done = await agent.run(content_of(prompt), message_history=history)
    read_end(done.output, done.new_messages(), program, result)
    return done.all_messages()


async def streamed(agent, prompt, history, program, result):
    async with agent.run_stream(content_of(prompt), message_history=history) as stream:
        if program.get("object"):
            output = await stream.get_output()
        else:
            output = ""
            async for piece in stream.stream_text(delta=True, debounce_by=None):
                output += piece
                result["pieces"] += 1
                if result["pieces"] == program.get("abortAfter"):
                    await stream.cancel()
                    return None
    read_end(output, stream.new_messages(), program, result)
    return stream.all_messages()


def read_end(output, messages, program, result):
    if program.get("object"):
        result["object"] = output.model_dump()
    else:
        result["texts"].append(output)
    responses = [message for message in messages if message.kind == "response"]
    for response in responses:
        for part in response.parts:
            if part.part_kind == "thinking":
                result["thoughts"] += part.content
    usage = responses[-1].usage
    result["usage"] = {"input": usage.input_tokens, "output": usage.output_tokens}


def content_of(prompt):
    if "image" not in prompt:
        return prompt["text"]
    image = prompt["image"]
    return [prompt["text"], BinaryContent(data=base64.b64decode(image["data"]), media_type=image["mediaType"])]


serve(run)
