import OpenAI from 'openai';
import {
  type Ask,
  Contradiction,
  type Driver,
  type SdkResponse,
  type Target,
  type ToolRun,
  type ToolRunResult,
  Unsupported,
  type UserPart,
} from '../scenario.ts';
import { at, countAt, listOr, numberAt, textOr } from '../support/json.ts';
import { openaiOther } from './openai-other.ts';
import { emptyResponse, emptyToolRun, inputOf, sdkError, Wire } from './responses-common.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Call = OpenAI.ChatCompletionMessageFunctionToolCall;
/** An assistant's message as it comes, with what providers add to it. */
type Assistant = OpenAI.ChatCompletionAssistantMessageParam & {
  reasoning_content?: string;
  reasoning?: string;
  reasoning_details?: unknown[];
};

/** Chat completions by npm `openai`. */
export function openaiChatDriver(): Driver {
  const carried = new Map<string, Message>();
  return {
    language: 'JavaScript',
    protocol: 'openai-chat',
    other: openaiOther,
    run,
    ask: async (target, ask) => {
      const response = emptyResponse();
      const wire = new Wire();
      try {
        const body = requestOf(ask, carried);
        const message = ask.stream
          ? await streamed(clientOf(target, wire), body, ask, response)
          : await buffered(clientOf(target, wire), body, response);
        carried.set(response.ref, message);
      } catch (error) {
        response.error = sdkError(error);
      }
      response.headers = wire.headers;
      return response;
    },
  };
}

/** `runTools`. */
async function run(target: Target, given: ToolRun): Promise<ToolRunResult> {
  const result = emptyToolRun();
  const { name, description, parameters } = given.tool;
  const tool = {
    type: 'function' as const,
    function: {
      name,
      description,
      parameters,
      parse: (input: string): object => JSON.parse(input),
      function: (input: object) => {
        result.inputs.push(input);
        return given.output;
      },
    },
  };
  const { completions } = clientOf(target, new Wire()).chat;
  const body = { model: given.model, messages: [{ role: 'user' as const, content: given.prompt }], tools: [tool] };
  try {
    const runner = given.stream ? completions.runTools({ ...body, stream: true }) : completions.runTools(body);
    result.text = (await runner.finalContent()) ?? '';
  } catch (error) {
    result.error = sdkError(error);
  }
  return result;
}

function clientOf(target: Target, wire: Wire): OpenAI {
  return new OpenAI({ apiKey: target.key, baseURL: target.baseUrl, maxRetries: 0, fetch: wire.fetch });
}

type Body = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, 'stream'>;

async function buffered(client: OpenAI, body: Body, response: SdkResponse): Promise<Message> {
  const completion = await client.chat.completions.create(body);
  readHead(completion, response);
  response.choices = completion.choices.length;
  const [choice] = completion.choices;
  if (choice === undefined) throw new Contradiction('there is no choice');
  const { message } = choice;
  response.text = message.content ?? '';
  response.pieces = 1;
  response.refusal = message.refusal ?? '';
  response.finish = choice.finish_reason;
  response.logprobs = countLogprobs(choice.logprobs?.content);
  for (const note of message.annotations ?? []) response.cited.push(note.url_citation.url);
  const calls = (message.tool_calls ?? []).filter((call) => call.type !== 'custom');
  readCalls(calls, response);
  readReasoning(message, response);
  return message;
}

async function streamed(client: OpenAI, body: Body, ask: Ask, response: SdkResponse): Promise<Message> {
  const stream = client.chat.completions.stream({ ...body, stream_options: { include_usage: true } });
  const message: Assistant = { role: 'assistant' };
  const calls: Call[] = [];
  const choices = new Set<number>();
  for await (const chunk of stream) {
    readHead(chunk, response);
    for (const choice of chunk.choices) {
      choices.add(choice.index);
      if (choice.index !== 0) continue;
      const { delta } = choice;
      if (choice.finish_reason !== null) response.finish = choice.finish_reason;
      response.logprobs += countLogprobs(choice.logprobs?.content);
      for (const note of listOr(delta, 'annotations')) response.cited.push(textOr(note, 'url_citation', 'url'));
      response.text += delta.content ?? '';
      response.refusal += delta.refusal ?? '';
      const thought = textOr(delta, 'reasoning_content');
      if (thought !== '') message.reasoning_content = (message.reasoning_content ?? '') + thought;
      const reasoning = textOr(delta, 'reasoning');
      if (reasoning !== '') message.reasoning = (message.reasoning ?? '') + reasoning;
      mergeDetails(message, listOr(delta, 'reasoning_details'));
      for (const call of delta.tool_calls ?? []) response.inputPieces += mergeCall(calls, call);
      if (delta.content) response.pieces += 1;
    }
    if (response.pieces === ask.disconnectAfter) {
      stream.abort();
      return message;
    }
  }
  response.choices = choices.size;
  message.content = response.text === '' ? null : response.text;
  if (calls.length > 0) message.tool_calls = calls;
  readCalls(calls, response);
  readReasoning(message, response);
  // The helper assembles the chunks itself and checks that they are complete.
  const final = await stream.finalChatCompletion();
  const assembled = final.choices[0]?.message.content ?? '';
  if (assembled !== response.text) throw new Contradiction(`the SDK assembled the chunks as ${assembled}`);
  return message;
}

function mergeCall(calls: Call[], piece: OpenAI.ChatCompletionChunk.Choice.Delta.ToolCall): number {
  const call = calls[piece.index];
  const spelled = piece.function?.arguments ?? '';
  if (call === undefined) {
    if (piece.index !== calls.length || piece.id === undefined || piece.function?.name === undefined) {
      throw new Contradiction(`a call begins with ${JSON.stringify(piece)}`);
    }
    const { index: _, ...rest } = piece;
    calls.push({
      ...rest,
      id: piece.id,
      type: 'function',
      function: { name: piece.function.name, arguments: spelled },
    });
  } else {
    call.function.arguments += spelled;
    const { index: _index, id: _id, type: _type, function: _function, ...rest } = piece;
    Object.assign(call, rest);
  }
  return spelled === '' ? 0 : 1;
}

/** Pieces of one detail have its index; texts grow, other fields come once. */
function mergeDetails(message: Assistant, pieces: readonly unknown[]): void {
  for (const piece of pieces) {
    message.reasoning_details ??= [];
    const index = at(piece, 'index');
    const known = message.reasoning_details.find((each) => at(each, 'index') === index);
    if (known === undefined || typeof known !== 'object' || known === null) {
      message.reasoning_details.push({ ...Object(piece) });
      continue;
    }
    for (const [key, value] of Object.entries(Object(piece))) {
      const before = at(known, key);
      const grows = (key === 'text' || key === 'summary') && typeof before === 'string' && typeof value === 'string';
      Reflect.set(known, key, grows ? before + value : value);
    }
  }
}

function readHead(value: { id: string; model: string }, response: SdkResponse): void {
  response.id = value.id;
  response.model = value.model;
  const usage = at(value, 'usage');
  if (typeof usage !== 'object' || usage === null) return;
  const cacheRead = countAt(usage, 'prompt_tokens_details', 'cached_tokens');
  const cacheWrite = countAt(usage, 'prompt_tokens_details', 'cache_write_tokens');
  const reasoning = countAt(usage, 'completion_tokens_details', 'reasoning_tokens');
  response.usage = {
    input: countAt(usage, 'prompt_tokens') - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: countAt(usage, 'completion_tokens') - reasoning,
    reasoning,
  };
  response.cost = numberAt(usage, 'cost');
}

function readCalls(calls: readonly Call[], response: SdkResponse): void {
  for (const call of calls) {
    response.calls.push({ id: call.id, name: call.function.name, input: inputOf(call.function.arguments) });
    const signature = textOr(call, 'extra_content', 'google', 'thought_signature');
    if (signature !== '') response.signatures.push(signature);
  }
}

function readReasoning(message: unknown, response: SdkResponse): void {
  response.thoughts = textOr(message, 'reasoning_content') || textOr(message, 'reasoning');
  for (const detail of listOr(message, 'reasoning_details')) {
    const signature = textOr(detail, 'signature') || textOr(detail, 'data');
    if (signature !== '') response.signatures.push(signature);
  }
}

function countLogprobs(tokens: readonly OpenAI.ChatCompletionTokenLogprob[] | null | undefined): number {
  return (tokens ?? []).filter((token) => token.top_logprobs.length > 0).length;
}

function requestOf(ask: Ask, carried: ReadonlyMap<string, Message>): Body {
  if (ask.topK !== undefined) throw new Unsupported('top k');
  const messages: Message[] = ask.system === undefined ? [] : [{ role: 'system', content: ask.system }];
  for (const turn of ask.turns) {
    switch (turn.role) {
      case 'user':
        messages.push({ role: 'user', content: contentOf(turn.parts) });
        break;
      case 'assistant':
        messages.push({ role: 'assistant', content: turn.text });
        break;
      case 'instructions':
        messages.push({ role: 'developer', content: turn.text });
        break;
      case 'carried': {
        const message = carried.get(turn.ref);
        if (message === undefined) throw new Error('nothing is carried under that name');
        messages.push(message);
        break;
      }
      case 'tool':
        for (const result of turn.results) {
          if (result.image !== undefined || result.isError) throw new Unsupported('images and errors of tools');
          messages.push({ role: 'tool', tool_call_id: result.callId, content: result.output });
        }
        break;
      default:
        turn satisfies never;
    }
  }
  const body: Body = { model: ask.model, messages };
  if (ask.maxTokens !== undefined) body.max_completion_tokens = ask.maxTokens;
  if (ask.temperature !== undefined) body.temperature = ask.temperature;
  if (ask.seed !== undefined) body.seed = ask.seed;
  if (ask.presencePenalty !== undefined) body.presence_penalty = ask.presencePenalty;
  if (ask.choices !== undefined) body.n = ask.choices;
  if (ask.stop !== undefined) body.stop = ask.stop;
  if (ask.logprobs !== undefined) Object.assign(body, { logprobs: true, top_logprobs: ask.logprobs });
  if (ask.cacheHint) body.prompt_cache_key = 'conversation-1';
  if (ask.userId !== undefined) body.safety_identifier = ask.userId;
  if (ask.singleCall) body.parallel_tool_calls = false;
  setTools(ask, body);
  if (ask.schema === 'any') body.response_format = { type: 'json_object' };
  else if (ask.schema !== undefined) {
    body.response_format = { type: 'json_schema', json_schema: { name: 'result', schema: ask.schema, strict: true } };
  }
  if (ask.reasoning === 'off') body.reasoning_effort = 'none';
  else if (ask.reasoning !== undefined) {
    if (!('effort' in ask.reasoning)) throw new Unsupported('a budget of thought');
    body.reasoning_effort = ask.reasoning.effort;
  }
  return body;
}

function setTools(ask: Ask, body: Body): void {
  if (ask.tools !== undefined) {
    body.tools = ask.tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      function: { name, description, parameters, ...(strict && { strict }) },
    }));
  }
  const choice = ask.toolChoice;
  if (choice === undefined) return;
  if (typeof choice === 'string') body.tool_choice = choice;
  else if ('tool' in choice) body.tool_choice = { type: 'function', function: { name: choice.tool } };
  else {
    const tools = choice.allowed.map((name) => ({ type: 'function', function: { name } }));
    body.tool_choice = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools } };
  }
}

function contentOf(parts: readonly UserPart[]): string | OpenAI.ChatCompletionContentPart[] {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'text' in only) return only.text;
  return parts.map((part): OpenAI.ChatCompletionContentPart => {
    if ('text' in part) return { type: 'text', text: part.text };
    if ('image' in part) {
      const { image } = part;
      const url = 'url' in image ? image.url : `data:${image.mediaType};base64,${image.data}`;
      return { type: 'image_url', image_url: { url } };
    }
    if ('audio' in part) return { type: 'input_audio', input_audio: part.audio };
    const { file } = part;
    if ('url' in file) throw new Unsupported('a URL of a file');
    const data = `data:${file.mediaType};base64,${file.data}`;
    return { type: 'file', file: { filename: file.filename, file_data: data } };
  });
}
