from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import tool
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from pydantic import BaseModel
from serve import run_tool, serve


class Weather(BaseModel):
    city: str
    warm: bool


def model_of(program):
    way, base_url, model, reasoning = program["way"], program["baseUrl"], program["model"], program.get("reasoning")
    key = program["key"]
    if way == "openai-chat":
        options = {"reasoning_effort": "low"} if reasoning else {}
        return ChatOpenAI(model=model, api_key=key, base_url=f"{base_url}/v1", stream_usage=True, **options)
    if way == "openai-responses":
        # Nothing is stored at the provider, so reasoning comes back encrypted.
        options = {"reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"]}
        return ChatOpenAI(
            model=model,
            api_key=key,
            base_url=f"{base_url}/v1",
            use_responses_api=True,
            store=False,
            **(options if reasoning else {}),
        )
    if way == "anthropic":
        thinking = {"type": "enabled", "budget_tokens": 2048, "display": "summarized"}
        options = {"thinking": thinking} if reasoning else {}
        return ChatAnthropic(model=model, api_key=key, base_url=base_url, max_tokens=8000, **options)
    if way == "google":
        options = {"thinking_budget": 2048, "include_thoughts": True} if reasoning else {}
        return ChatGoogleGenerativeAI(model=model, api_key=key, base_url=base_url, **options)
    raise ValueError(way)


async def run(program, result):
    @tool
    def get_weather(city: str) -> str:
        """Returns the weather of a city."""
        return run_tool(program, result, city)

    model = model_of(program)
    if program.get("object"):
        structured = model.with_structured_output(Weather)
        messages = [message_of(prompt) for prompt in program["prompts"]]
        if program["stream"]:
            async for partial in structured.astream(messages):
                made = partial
        else:
            made = await structured.ainvoke(messages)
        result["object"] = made.model_dump()
        return
    if "toolOutput" in program:
        model = model.bind_tools([get_weather])
    messages = [SystemMessage(program["instructions"])] if "instructions" in program else []
    for prompt in program["prompts"]:
        messages.append(message_of(prompt))
        for _ in range(4):
            message = await call(model, messages, program, result)
            if message is None:
                return
            messages.append(message)
            read_message(message, result)
            if not message.tool_calls:
                result["texts"].append(message.text)
                break
            for asked in message.tool_calls:
                messages.append(await get_weather.ainvoke(asked))


async def call(model, messages, program, result):
    if not program["stream"]:
        return await model.ainvoke(messages)
    whole = None
    stream = model.astream(messages)
    async for chunk in stream:
        whole = chunk if whole is None else whole + chunk
        if chunk.text:
            result["pieces"] += 1
        if result["pieces"] == program.get("abortAfter"):
            await stream.aclose()
            return None
    return whole


def read_message(message, result):
    for block in message.content_blocks:
        if block["type"] == "reasoning":
            result["thoughts"] += block.get("reasoning", "")
    usage = message.usage_metadata
    if usage is not None:
        result["usage"] = {"input": usage["input_tokens"], "output": usage["output_tokens"]}


def message_of(prompt):
    if "image" not in prompt:
        return HumanMessage(prompt["text"])
    image = prompt["image"]
    return HumanMessage(
        content=[
            {"type": "text", "text": prompt["text"]},
            {"type": "image", "base64": image["data"], "mime_type": image["mediaType"]},
        ]
    )


serve(run)
