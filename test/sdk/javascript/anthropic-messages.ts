import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import {
  type Ask,
  Contradiction,
  type Driver,
  type Other,
  type OtherResponse,
  type SdkResponse,
  type Target,
  type ToolResult,
  type ToolRun,
  type ToolRunResult,
  Unsupported,
  type UserPart,
} from '../scenario.ts';
import { countAt, numberAt, textOr } from '../support/json.ts';
import { emptyOther, emptyResponse, emptyToolRun, sdkError, Wire } from './responses-common.ts';

type Body = Anthropic.MessageCreateParamsNonStreaming;
/** The SDK asks for a limit; a program that does not care sends a large one. */
const DEFAULT_MAX_TOKENS = 4_096;

/** Messages by npm `@anthropic-ai/sdk`. */
export function anthropicMessagesDriver(): Driver {
  const carried = new Map<string, Anthropic.MessageParam>();
  return {
    language: 'JavaScript',
    protocol: 'anthropic-messages',
    other,
    run,
    ask: async (target, ask) => {
      const response = emptyResponse();
      const wire = new Wire();
      try {
        const body = requestOf(ask, carried);
        const client = clientOf(target, wire);
        const message = ask.stream ? await streamed(client, body, ask, response) : await client.messages.create(body);
        if (message !== undefined) {
          readMessage(message, response);
          carried.set(response.ref, { role: 'assistant', content: message.content });
        }
      } catch (error) {
        response.error = sdkError(error);
      }
      response.headers = wire.headers;
      return response;
    },
  };

  async function other(target: Target, call: Other): Promise<OtherResponse> {
    const wire = new Wire();
    const client = clientOf(target, wire);
    const response = emptyOther();
    try {
      switch (call.call) {
        case 'models':
          for await (const model of client.models.list()) response.models.push(model.id);
          break;
        case 'model':
          response.models.push((await client.models.retrieve(call.model)).id);
          break;
        case 'count': {
          const { model, messages, system, tools } = requestOf(call.ask, carried);
          const counted = await client.messages.countTokens({
            model,
            messages,
            ...(system !== undefined && { system }),
            ...(tools !== undefined && { tools }),
          });
          response.tokens = counted.input_tokens;
          break;
        }
        case 'embed':
          throw new Unsupported('embeddings');
        default:
          call satisfies never;
      }
    } catch (error) {
      response.error = sdkError(error);
    }
    response.headers = wire.headers;
    return response;
  }
}

/** The runner of `beta.messages`. */
async function run(target: Target, given: ToolRun): Promise<ToolRunResult> {
  const result = emptyToolRun();
  const { name, description, parameters } = given.tool;
  const tool = betaTool({
    name,
    description,
    inputSchema: { ...parameters, type: 'object' },
    run: (input) => {
      result.inputs.push(input);
      return given.output;
    },
  });
  const messages = clientOf(target, new Wire()).beta.messages;
  try {
    const runner = messages.toolRunner({
      model: given.model,
      max_tokens: DEFAULT_MAX_TOKENS,
      messages: [{ role: 'user', content: given.prompt }],
      tools: [tool],
      stream: given.stream,
    });
    const message = await runner.runUntilDone();
    for (const block of message.content) if (block.type === 'text') result.text += block.text;
  } catch (error) {
    result.error = sdkError(error);
  }
  return result;
}

function clientOf(target: Target, wire: Wire): Anthropic {
  return new Anthropic({
    ...(target.asBearer ? { authToken: target.key, apiKey: null } : { apiKey: target.key, authToken: null }),
    baseURL: target.baseUrl,
    maxRetries: 0,
    fetch: wire.fetch,
  });
}

/** Reads events to the end, or undefined when it left before. */
async function streamed(
  client: Anthropic,
  body: Body,
  ask: Ask,
  response: SdkResponse,
): Promise<Anthropic.Message | undefined> {
  const stream = client.messages.stream(body);
  for await (const event of stream) {
    // The SDK takes only the fields it knows into the message it puts together.
    if (event.type === 'message_delta') response.cost = numberAt(event.usage, 'cost');
    if (event.type !== 'content_block_delta') continue;
    if (event.delta.type === 'input_json_delta' && event.delta.partial_json !== '') response.inputPieces += 1;
    if (event.delta.type !== 'text_delta') continue;
    response.pieces += 1;
    if (response.pieces === ask.disconnectAfter) {
      stream.abort();
      return undefined;
    }
  }
  return stream.finalMessage();
}

function readMessage(message: Anthropic.Message, response: SdkResponse): void {
  response.id = message.id;
  response.model = message.model;
  response.choices = 1;
  response.pieces ||= 1;
  response.finish = message.stop_reason ?? '';
  response.stopSequence = message.stop_sequence ?? '';
  for (const block of message.content) {
    switch (block.type) {
      case 'text':
        response.text += block.text;
        for (const citation of block.citations ?? []) response.cited.push(textOr(citation, 'url'));
        break;
      case 'thinking':
        response.thoughts += block.thinking;
        response.signatures.push(block.signature);
        break;
      case 'redacted_thinking':
        response.signatures.push(block.data);
        break;
      case 'tool_use':
        response.calls.push({ id: block.id, name: block.name, input: block.input });
        break;
      default:
        throw new Contradiction(`a block of type ${block.type} is unexpected`);
    }
  }
  const { usage } = message;
  const reasoning = countAt(usage, 'output_tokens_details', 'thinking_tokens');
  response.usage = {
    input: usage.input_tokens,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    cacheWrite: usage.cache_creation_input_tokens ?? 0,
    output: usage.output_tokens - reasoning,
    reasoning,
  };
  response.cost ??= numberAt(usage, 'cost');
}

function requestOf(ask: Ask, carried: ReadonlyMap<string, Anthropic.MessageParam>): Body {
  const unsupported = ask.seed ?? ask.presencePenalty ?? ask.choices ?? ask.logprobs;
  if (unsupported !== undefined || ask.schema === 'any')
    throw new Unsupported('seeds, penalties, choices, logprobs, any JSON');
  const messages: Anthropic.MessageParam[] = [];
  for (const turn of ask.turns) {
    switch (turn.role) {
      case 'user':
        messages.push({ role: 'user', content: contentOf(turn.parts, ask.cacheHint === true) });
        break;
      case 'assistant':
        messages.push({ role: 'assistant', content: turn.text });
        break;
      case 'instructions':
        messages.push({ role: 'system', content: turn.text });
        break;
      case 'carried': {
        const message = carried.get(turn.ref);
        if (message === undefined) throw new Error('nothing is carried under that name');
        messages.push(message);
        break;
      }
      case 'tool':
        messages.push({ role: 'user', content: turn.results.map(resultOf) });
        break;
      default:
        turn satisfies never;
    }
  }
  const body: Body = { model: ask.model, messages, max_tokens: ask.maxTokens ?? DEFAULT_MAX_TOKENS };
  if (ask.system !== undefined) body.system = ask.system;
  // The newest models take neither, so the SDK's types have neither; the protocol does.
  if (ask.temperature !== undefined) Object.assign(body, { temperature: ask.temperature });
  if (ask.topK !== undefined) Object.assign(body, { top_k: ask.topK });
  if (ask.stop !== undefined) body.stop_sequences = ask.stop;
  if (ask.userId !== undefined) body.metadata = { user_id: ask.userId };
  if (ask.tools !== undefined) {
    body.tools = ask.tools.map(({ name, description, parameters, strict }) => ({
      name,
      description,
      input_schema: { ...parameters, type: 'object' as const },
      ...(strict && { strict }),
    }));
  }
  setToolChoice(ask, body);
  if (typeof ask.schema === 'object') body.output_config = { format: { type: 'json_schema', schema: ask.schema } };
  if (ask.reasoning === 'off') body.thinking = { type: 'disabled' };
  else if (ask.reasoning !== undefined) {
    if (!('budget' in ask.reasoning)) throw new Unsupported('an effort');
    body.thinking = { type: 'enabled', budget_tokens: ask.reasoning.budget, display: 'summarized' };
  }
  return body;
}

function setToolChoice(ask: Ask, body: Body): void {
  const choice = ask.toolChoice;
  if (choice === 'required') body.tool_choice = { type: 'any' };
  else if (choice === 'none') body.tool_choice = { type: 'none' };
  else if (choice !== undefined) {
    if (!('tool' in choice)) throw new Unsupported('some of the tools');
    body.tool_choice = { type: 'tool', name: choice.tool };
  }
  if (ask.singleCall) body.tool_choice = { type: 'auto', disable_parallel_tool_use: true };
}

function resultOf(result: ToolResult): Anthropic.ToolResultBlockParam {
  const { image } = result;
  const block: Anthropic.ToolResultBlockParam = { type: 'tool_result', tool_use_id: result.callId };
  if (result.isError) block.is_error = true;
  block.content =
    image === undefined
      ? result.output
      : [
          { type: 'text', text: result.output },
          { type: 'image', source: { type: 'base64', media_type: imageType(image.mediaType), data: image.data } },
        ];
  return block;
}

function contentOf(parts: readonly UserPart[], cacheHint: boolean): string | Anthropic.ContentBlockParam[] {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'text' in only && !cacheHint) return only.text;
  return parts.map((part): Anthropic.ContentBlockParam => {
    if ('text' in part) {
      return { type: 'text', text: part.text, ...(cacheHint && { cache_control: { type: 'ephemeral' } }) };
    }
    if ('image' in part) {
      const { image } = part;
      if ('url' in image) return { type: 'image', source: { type: 'url', url: image.url } };
      const source = { type: 'base64' as const, media_type: imageType(image.mediaType), data: image.data };
      return { type: 'image', source };
    }
    if ('audio' in part) throw new Unsupported('audio');
    const { file } = part;
    if ('url' in file) return { type: 'document', source: { type: 'url', url: file.url } };
    const source = { type: 'base64' as const, media_type: 'application/pdf' as const, data: file.data };
    return { type: 'document', source };
  });
}

function imageType(mediaType: string): 'image/png' {
  if (mediaType !== 'image/png') throw new Error(`the scenarios have no images of type ${mediaType}`);
  return mediaType;
}
