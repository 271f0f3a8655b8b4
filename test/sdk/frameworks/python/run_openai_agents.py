from agents import Agent, ModelSettings, OpenAIProvider, RunConfig, Runner, function_tool
from agents.items import ReasoningItem
from openai.types.responses import ResponseTextDeltaEvent
from openai.types.shared import Reasoning
from pydantic import BaseModel
from serve import run_tool, serve


class Weather(BaseModel):
    city: str
    warm: bool


def settings_of(program):
    if not program.get("reasoning"):
        return ModelSettings(store=False, include_usage=True)
    if program["way"] == "openai-chat":
        return ModelSettings(store=False, include_usage=True, reasoning=Reasoning(effort="low"))
    # Nothing is stored at the provider, so reasoning comes back encrypted.
    return ModelSettings(
        store=False,
        reasoning=Reasoning(effort="low", summary="auto"),
        response_include=["reasoning.encrypted_content"],
    )


async def run(program, result):
    @function_tool
    def get_weather(city: str) -> str:
        """Returns the weather of a city."""
        return run_tool(program, result, city)

    provider = OpenAIProvider(
        api_key=program["key"],
        base_url=f"{program['baseUrl']}/v1",
        use_responses=program["way"] == "openai-responses",
    )
    config = RunConfig(model_provider=provider, tracing_disabled=True)
    agent = Agent(
        name="Assistant",
        model=program["model"],
        instructions=program.get("instructions"),
        model_settings=settings_of(program),
        tools=[get_weather] if "toolOutput" in program else [],
        output_type=Weather if program.get("object") else None,
    )
    history = []
    for prompt in program["prompts"]:
        given = [*history, item_of(prompt)]
        if program["stream"]:
            done = Runner.run_streamed(agent, given, run_config=config)
            async for event in done.stream_events():
                if event.type == "raw_response_event" and isinstance(event.data, ResponseTextDeltaEvent):
                    result["pieces"] += 1
                    if result["pieces"] == program.get("abortAfter"):
                        done.cancel()
            if "abortAfter" in program:
                return
        else:
            done = await Runner.run(agent, given, run_config=config)
        read_end(done, program, result)
        history = done.to_input_list()


def read_end(done, program, result):
    if program.get("object"):
        result["object"] = done.final_output.model_dump()
    else:
        result["texts"].append(done.final_output)
    for item in done.new_items:
        if isinstance(item, ReasoningItem):
            parts = [*(item.raw_item.summary or []), *(item.raw_item.content or [])]
            result["thoughts"] += "".join(part.text for part in parts)
    usage = done.raw_responses[-1].usage
    result["usage"] = {"input": usage.input_tokens, "output": usage.output_tokens}


def item_of(prompt):
    if "image" not in prompt:
        return {"role": "user", "content": prompt["text"]}
    image = prompt["image"]
    return {
        "role": "user",
        "content": [
            {"type": "input_text", "text": prompt["text"]},
            {"type": "input_image", "image_url": f"data:{image['mediaType']};base64,{image['data']}", "detail": "auto"},
        ],
    }


serve(run)
