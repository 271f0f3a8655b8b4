import OpenAI from 'openai';
import { ResponsesToolRunner } from 'openai/helpers/responses-tool-runner';
import { toResponseInputItems } from 'openai/lib/responses/ResponseInputItems';
import type {
  Response,
  ResponseCreateParamsNonStreaming,
  ResponseInputContent,
  ResponseInputItem,
} from 'openai/resources/responses/responses';
import {
  type Ask,
  Contradiction,
  type Driver,
  type SdkResponse,
  type Target,
  type ToolResult,
  type ToolRun,
  type ToolRunResult,
  Unsupported,
  type UserPart,
} from '../scenario.ts';
import { at, countAt, numberAt } from '../support/json.ts';
import { openaiOther } from './openai-other.ts';
import { emptyResponse, emptyToolRun, inputOf, sdkError, Wire } from './responses-common.ts';

type Body = Omit<ResponseCreateParamsNonStreaming, 'stream'>;

/** Responses by npm `openai`. */
export function openaiResponsesDriver(): Driver {
  const carried = new Map<string, ResponseInputItem[]>();
  return {
    language: 'JavaScript',
    protocol: 'openai-responses',
    other: openaiOther,
    run,
    ask: async (target, ask) => {
      const result = emptyResponse();
      const wire = new Wire();
      try {
        const body = requestOf(ask, carried);
        const client = clientOf(target, wire);
        const response = ask.stream
          ? await streamed(client, body, ask, result)
          : await client.responses.create({ ...body, stream: false });
        if (response !== undefined) {
          readResponse(response, result);
          carried.set(result.ref, toResponseInputItems(response.output));
        }
      } catch (error) {
        result.error = sdkError(error);
      }
      result.headers = wire.headers;
      return result;
    },
  };
}

/** The SDK's runner for responses. */
async function run(target: Target, given: ToolRun): Promise<ToolRunResult> {
  const result = emptyToolRun();
  const { name, description, parameters } = given.tool;
  const runner = new ResponsesToolRunner({
    functions: [
      {
        tool: { type: 'function', name, description, parameters, strict: false },
        execute: (input) => {
          result.inputs.push(input);
          return given.output;
        },
      },
    ],
  });
  try {
    const body = { model: given.model, input: given.prompt };
    const response = await runner.run(clientOf(target, new Wire()), body, { stream: given.stream });
    result.text = response.output_text;
  } catch (error) {
    result.error = sdkError(error);
  }
  return result;
}

function clientOf(target: Target, wire: Wire): OpenAI {
  return new OpenAI({ apiKey: target.key, baseURL: target.baseUrl, maxRetries: 0, fetch: wire.fetch });
}

/** The stream reported a failure, which the SDK treats as a response. */
class FailedResponse extends Error {}

/** Reads events to the end, or undefined when it left before. */
async function streamed(client: OpenAI, body: Body, ask: Ask, result: SdkResponse): Promise<Response | undefined> {
  const stream = client.responses.stream(body);
  let text = '';
  let sequence = -1;
  for await (const event of stream) {
    const number = at(event, 'sequence_number');
    if (number !== sequence + 1) result.violation ||= `${event.type} has number ${String(number)} after ${sequence}`;
    sequence += 1;
    if (event.type === 'response.failed') throw new FailedResponse(JSON.stringify(event.response));
    if (event.type === 'response.function_call_arguments.delta' && event.delta !== '') result.inputPieces += 1;
    if (event.type !== 'response.output_text.delta') continue;
    text += event.delta;
    result.pieces += 1;
    if (result.pieces === ask.disconnectAfter) {
      result.text = text;
      stream.abort();
      return undefined;
    }
  }
  const response = await stream.finalResponse();
  if (response.output_text !== text)
    throw new Contradiction(`the events contain ${text}, the response ${response.output_text}`);
  return response;
}

function readResponse(response: Response, result: SdkResponse): void {
  result.id = response.id;
  result.model = response.model;
  result.choices = 1;
  result.pieces ||= 1;
  result.finish = response.incomplete_details?.reason ?? response.status ?? '';
  for (const item of response.output) {
    if (item.type === 'reasoning') {
      const reported = [...item.summary, ...(item.content ?? [])].map((part) => part.text);
      result.thoughts += reported.join('');
      if (item.encrypted_content) result.signatures.push(item.encrypted_content);
    } else if (item.type === 'function_call') {
      result.calls.push({ id: item.call_id, name: item.name, input: inputOf(item.arguments) });
    } else if (item.type === 'message') {
      for (const part of item.content) {
        if (part.type === 'refusal') {
          result.refusal += part.refusal;
          continue;
        }
        result.text += part.text;
        result.logprobs += (part.logprobs ?? []).filter((token) => token.top_logprobs.length > 0).length;
        for (const note of part.annotations) if (note.type === 'url_citation') result.cited.push(note.url);
      }
    }
  }
  const { usage } = response;
  if (usage === undefined || usage === null) return;
  if (!('input_tokens_details' in usage && 'output_tokens_details' in usage)) result.violation = 'usage has no details';
  const cacheRead = countAt(usage, 'input_tokens_details', 'cached_tokens');
  const cacheWrite = countAt(usage, 'input_tokens_details', 'cache_write_tokens');
  const reasoning = countAt(usage, 'output_tokens_details', 'reasoning_tokens');
  result.usage = {
    input: usage.input_tokens - cacheRead - cacheWrite,
    cacheRead,
    cacheWrite,
    output: usage.output_tokens - reasoning,
    reasoning,
  };
  result.cost = numberAt(usage, 'cost');
}

function requestOf(ask: Ask, carried: ReadonlyMap<string, ResponseInputItem[]>): Body {
  const unsupported = ask.stop ?? ask.topK ?? ask.seed ?? ask.presencePenalty ?? ask.choices;
  if (unsupported !== undefined) throw new Unsupported('stop sequences, top k, seeds, penalties and choices');
  const input: ResponseInputItem[] = [];
  for (const turn of ask.turns) {
    switch (turn.role) {
      case 'user':
        input.push({ role: 'user', content: contentOf(turn.parts) });
        break;
      case 'assistant':
        input.push({ role: 'assistant', content: turn.text });
        break;
      case 'instructions':
        input.push({ role: 'developer', content: turn.text });
        break;
      case 'carried':
        input.push(...(carried.get(turn.ref) ?? []));
        break;
      case 'tool':
        input.push(...turn.results.map(resultOf));
        break;
      default:
        turn satisfies never;
    }
  }
  const body: Body = { model: ask.model, input, store: false };
  if (ask.system !== undefined) body.instructions = ask.system;
  if (ask.maxTokens !== undefined) body.max_output_tokens = ask.maxTokens;
  if (ask.temperature !== undefined) body.temperature = ask.temperature;
  if (ask.cacheHint) body.prompt_cache_key = 'conversation-1';
  if (ask.userId !== undefined) body.safety_identifier = ask.userId;
  if (ask.singleCall) body.parallel_tool_calls = false;
  if (ask.logprobs !== undefined) {
    body.top_logprobs = ask.logprobs;
    body.include = ['message.output_text.logprobs'];
  }
  setTools(ask, body);
  if (ask.schema === 'any') body.text = { format: { type: 'json_object' } };
  else if (ask.schema !== undefined) {
    body.text = { format: { type: 'json_schema', name: 'result', schema: ask.schema, strict: true } };
  }
  if (ask.reasoning === 'off') body.reasoning = { effort: 'none' };
  else if (ask.reasoning !== undefined) {
    if (!('effort' in ask.reasoning)) throw new Unsupported('a budget of thought');
    body.reasoning = { effort: ask.reasoning.effort, summary: 'auto' };
    body.include = ['reasoning.encrypted_content'];
  }
  return body;
}

function setTools(ask: Ask, body: Body): void {
  if (ask.tools !== undefined) {
    body.tools = ask.tools.map(({ name, description, parameters, strict }) => ({
      type: 'function',
      name,
      description,
      parameters,
      strict: strict ?? false,
    }));
  }
  const choice = ask.toolChoice;
  if (choice === undefined) return;
  if (typeof choice === 'string') body.tool_choice = choice;
  else if ('tool' in choice) body.tool_choice = { type: 'function', name: choice.tool };
  else {
    const tools = choice.allowed.map((name) => ({ type: 'function', name }));
    body.tool_choice = { type: 'allowed_tools', mode: 'required', tools };
  }
}

function resultOf(result: ToolResult): ResponseInputItem {
  if (result.isError) throw new Unsupported('an error of a tool');
  const { image } = result;
  if (image === undefined) return { type: 'function_call_output', call_id: result.callId, output: result.output };
  return {
    type: 'function_call_output',
    call_id: result.callId,
    output: [
      { type: 'input_text', text: result.output },
      { type: 'input_image', image_url: `data:${image.mediaType};base64,${image.data}` },
    ],
  };
}

function contentOf(parts: readonly UserPart[]): string | ResponseInputContent[] {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && 'text' in only) return only.text;
  return parts.map((part): ResponseInputContent => {
    if ('text' in part) return { type: 'input_text', text: part.text };
    if ('image' in part) {
      const { image } = part;
      const url = 'url' in image ? image.url : `data:${image.mediaType};base64,${image.data}`;
      return { type: 'input_image', image_url: url, detail: 'auto' };
    }
    if ('audio' in part) throw new Unsupported('audio');
    const { file } = part;
    if ('url' in file) return { type: 'input_file', file_url: file.url };
    return { type: 'input_file', filename: file.filename, file_data: `data:${file.mediaType};base64,${file.data}` };
  });
}
