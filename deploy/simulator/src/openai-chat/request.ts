import type { WholeAnswer } from '../protocol.ts';
import { invalidRequest } from './errors.ts';

export interface ContentPart {
  type?: unknown;
  text?: unknown;
  image_url?: unknown;
}

export interface Message {
  role: string;
  content?: unknown;
  name?: unknown;
  tool_calls?: unknown;
}

/** The fields of a chat-completions request that the simulator looks at. */
export interface ChatRequest {
  model: string;
  messages: Message[];
  stream: boolean;
  includeUsage: boolean;
  includeObfuscation: boolean;
  /** Number of choices. */
  n: number;
  /** The output limit; undefined when none was asked. */
  limit: number | undefined;
  tools: unknown[];
  /** Name of the tool that must be called; undefined when none must. */
  forcedTool: string | undefined;
  jsonAnswer: boolean;
  /** The `simulate` field as it came. */
  simulate: unknown;
}

export type RequestResult = { ok: true; request: ChatRequest } | { ok: false; answer: WholeAnswer };

type Fields = Record<string, unknown>;

/** Reads and checks a chat-completions body; what is wrong is answered as OpenAI answers it. */
export function readRequest(body: string): RequestResult {
  const fields = parseObject(body);
  if (fields === undefined) {
    return refuse('We could not parse the JSON body of your request. The API expects a JSON object.', null);
  }
  const { model, messages, stream } = fields;
  if (model === undefined) return refuse('you must provide a model parameter', 'model', 'missing_required_parameter');
  if (typeof model !== 'string' || model === '') return wrongType('model', 'a string');
  if (messages === undefined) {
    return refuse("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter');
  }
  if (!Array.isArray(messages)) return wrongType('messages', 'an array of objects');
  if (messages.length === 0) {
    return refuse("Invalid 'messages': empty array.", 'messages', 'empty_array');
  }
  const wrongMessage = messages.findIndex((message) => !isMessage(message));
  if (wrongMessage >= 0) return wrongType(`messages[${wrongMessage}]`, 'an object with a role');
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') return wrongType('stream', 'a boolean');
  const streamOptions = isFields(fields['stream_options']) ? fields['stream_options'] : {};
  if (fields['stream_options'] != null && stream !== true) {
    return refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  const n = fields['n'] ?? 1;
  if (!isWithin(n, 1, 128)) return wrongType('n', 'an integer from 1 to 128');
  const limits = [fields['max_completion_tokens'], fields['max_tokens']].filter((value) => value != null);
  if (limits.length > 1) {
    return refuse("Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.", 'max_tokens');
  }
  const [limit] = limits;
  if (limit !== undefined && !isWithin(limit, 1, 1_000_000)) return wrongType('max_tokens', 'an integer from 1');
  const tools = Array.isArray(fields['tools']) ? fields['tools'] : [];
  return {
    ok: true,
    request: {
      model,
      messages: messages.filter(isMessage),
      stream: stream === true,
      includeUsage: streamOptions['include_usage'] === true,
      includeObfuscation: streamOptions['include_obfuscation'] === true,
      n,
      limit,
      tools,
      forcedTool: forcedTool(fields['tool_choice'], tools),
      jsonAnswer: isFields(fields['response_format']) && fields['response_format']['type'] === 'json_object',
      simulate: fields['simulate'],
    },
  };
}

/** The text of the last user message: the parts of type text, joined. */
export function lastUserText(messages: readonly Message[]): string {
  const last = messages.findLast((message) => message.role === 'user');
  if (typeof last?.content === 'string') return last.content;
  if (!Array.isArray(last?.content)) return '';
  return last.content.map((part) => (isFields(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function forcedTool(choice: unknown, tools: readonly unknown[]): string | undefined {
  if (choice === 'required') return toolName(tools[0]);
  return isFields(choice) ? toolName(choice) : undefined;
}

function toolName(tool: unknown): string | undefined {
  if (!isFields(tool) || !isFields(tool['function'])) return undefined;
  const name = tool['function']['name'];
  return typeof name === 'string' ? name : undefined;
}

function parseObject(body: string): Fields | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isFields(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(value: unknown): value is Message {
  return isFields(value) && typeof value['role'] === 'string';
}

function isWithin(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
}

function refuse(message: string, param: string | null, code: string | null = null): RequestResult {
  return { ok: false, answer: invalidRequest(message, param, code) };
}

function wrongType(param: string, expected: string): RequestResult {
  return refuse(`Invalid type for '${param}': expected ${expected}.`, param, 'invalid_type');
}
