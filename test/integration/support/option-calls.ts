import Anthropic from '@anthropic-ai/sdk';
import { type GenerateContentResponse, GoogleGenAI } from '@google/genai';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import { at } from '@tollgate/test-support/gateway/json';
import OpenAI from 'openai';

export type Client = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini';

export const CLIENTS: readonly Client[] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini'];

/** A call with options. */
export interface OptionCall {
  client: Client;
  model: string;
  stream: boolean;
  text: string;
  /** Fields of the request in the client's protocol, such as `service_tier`. */
  fields?: object;
  /** A stream that breaks off throws at the client; what was read by then counts. */
  breaks?: boolean;
}

/** What an official SDK gives its user. */
export interface OptionResult {
  requestId: string;
  headers: Headers;
  /** Disjoint counts of the usage report. */
  usage: { input: number; cache_read: number; cache_write_5m: number; cache_write_1h: number; output: number };
  /** The tier that was reported last. */
  tier: unknown;
  speed?: unknown;
  inferenceGeo?: unknown;
}

export const MAX_TOKENS = 200;

/** Calls the gateway with the official SDK of the client's protocol. */
export function callWithOptions(gateway: Gateway, key: string, call: OptionCall): Promise<OptionResult> {
  switch (call.client) {
    case 'openai-chat':
      return chat(gateway, key, call);
    case 'openai-responses':
      return responses(gateway, key, call);
    case 'anthropic-messages':
      return messages(gateway, key, call);
    case 'gemini':
      return gemini(gateway, key, call);
    default:
      return call.client satisfies never;
  }
}

/** All of a stream, up to where it breaks if it may. */
async function collect<Event>(stream: AsyncIterable<Event>, breaks: boolean | undefined): Promise<Event[]> {
  const events: Event[] = [];
  try {
    for await (const event of stream) events.push(event);
  } catch (error) {
    if (breaks !== true) throw error;
  }
  return events;
}

function numberAt(value: unknown, ...path: (string | number)[]): number {
  return Number(at(value, ...path) ?? 0);
}

async function chat(gateway: Gateway, key: string, call: OptionCall): Promise<OptionResult> {
  const client = new OpenAI({ apiKey: key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
  const { model, text, fields = {} } = call;
  const body = { model, max_completion_tokens: MAX_TOKENS, messages: [{ role: 'user' as const, content: text }] };
  const sent = { ...body, ...fields };
  const reported: { usage?: unknown; service_tier?: unknown }[] = [];
  let headers: Headers;
  if (call.stream) {
    const streamed = { ...sent, stream: true as const, stream_options: { include_usage: true } };
    const { data, response } = await client.chat.completions.create(streamed).withResponse();
    headers = response.headers;
    reported.push(...(await collect(data, call.breaks)));
  } else {
    const { data, response } = await client.chat.completions.create(sent).withResponse();
    headers = response.headers;
    reported.push(data);
  }
  const usage = reported.findLast((one) => one.usage !== undefined && one.usage !== null)?.usage;
  const cached = numberAt(usage, 'prompt_tokens_details', 'cached_tokens');
  const written = numberAt(usage, 'prompt_tokens_details', 'cache_write_tokens');
  return {
    requestId: headers.get('x-request-id') ?? '',
    headers,
    tier: reported.at(-1)?.service_tier,
    usage: {
      input: numberAt(usage, 'prompt_tokens') - cached - written,
      cache_read: cached,
      cache_write_5m: written,
      cache_write_1h: 0,
      output: numberAt(usage, 'completion_tokens'),
    },
  };
}

async function responses(gateway: Gateway, key: string, call: OptionCall): Promise<OptionResult> {
  const client = new OpenAI({ apiKey: key, baseURL: `${gateway.baseUrl}/v1`, maxRetries: 0 });
  const { model, text, fields = {} } = call;
  const sent = { model, max_output_tokens: MAX_TOKENS, input: text, ...fields };
  let headers: Headers;
  let result: unknown;
  if (call.stream) {
    const { data, response } = await client.responses.create({ ...sent, stream: true as const }).withResponse();
    headers = response.headers;
    const events: unknown[] = await collect(data, call.breaks);
    result = at(
      events.findLast((event) => at(event, 'response') !== undefined),
      'response',
    );
  } else {
    const { data, response } = await client.responses.create(sent).withResponse();
    headers = response.headers;
    result = data;
  }
  const usage = at(result, 'usage');
  const cached = numberAt(usage, 'input_tokens_details', 'cached_tokens');
  const written = numberAt(usage, 'input_tokens_details', 'cache_write_tokens');
  return {
    requestId: headers.get('x-request-id') ?? '',
    headers,
    tier: at(result, 'service_tier'),
    usage: {
      input: numberAt(usage, 'input_tokens') - cached - written,
      cache_read: cached,
      cache_write_5m: written,
      cache_write_1h: 0,
      output: numberAt(usage, 'output_tokens'),
    },
  };
}

async function messages(gateway: Gateway, key: string, call: OptionCall): Promise<OptionResult> {
  const client = new Anthropic({ apiKey: key, baseURL: gateway.baseUrl, maxRetries: 0 });
  const { model, text, fields = {} } = call;
  const body = { model, max_tokens: MAX_TOKENS, messages: [{ role: 'user' as const, content: text }] };
  const sent = { ...body, betas: ['fast-mode-2026-02-01'], ...fields };
  let headers: Headers;
  let usage: Record<string, unknown> = {};
  if (call.stream) {
    const { data, response } = await client.beta.messages.create({ ...sent, stream: true as const }).withResponse();
    headers = response.headers;
    for (const event of await collect(data, call.breaks)) {
      if (event.type === 'message_start') usage = { ...event.message.usage };
      if (event.type === 'message_delta') usage = { ...usage, ...event.usage };
    }
  } else {
    const { data, response } = await client.beta.messages.create(sent).withResponse();
    headers = response.headers;
    usage = { ...data.usage };
  }
  return {
    requestId: headers.get('x-request-id') ?? '',
    headers,
    tier: usage['service_tier'],
    speed: usage['speed'],
    inferenceGeo: usage['inference_geo'],
    usage: {
      input: numberAt(usage, 'input_tokens'),
      cache_read: numberAt(usage, 'cache_read_input_tokens'),
      cache_write_5m: numberAt(usage, 'cache_creation', 'ephemeral_5m_input_tokens'),
      cache_write_1h: numberAt(usage, 'cache_creation', 'ephemeral_1h_input_tokens'),
      output: numberAt(usage, 'output_tokens'),
    },
  };
}

async function gemini(gateway: Gateway, key: string, call: OptionCall): Promise<OptionResult> {
  const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: gateway.baseUrl } });
  const { model, text, fields = {} } = call;
  const sent = { model, contents: text, config: { maxOutputTokens: MAX_TOKENS, ...fields } };
  const chunks: GenerateContentResponse[] = call.stream
    ? await collect(await client.models.generateContentStream(sent), call.breaks)
    : [await client.models.generateContent(sent)];
  const headers = new Headers(chunks[0]?.sdkHttpResponse?.headers);
  const usage: unknown = chunks.findLast((chunk) => chunk.usageMetadata !== undefined)?.usageMetadata;
  const cached = numberAt(usage, 'cachedContentTokenCount');
  return {
    requestId: headers.get('x-request-id') ?? '',
    headers,
    tier: at(usage, 'serviceTier') ?? at(usage, 'trafficType'),
    usage: {
      input: numberAt(usage, 'promptTokenCount') - cached,
      cache_read: cached,
      cache_write_5m: 0,
      cache_write_1h: 0,
      output: numberAt(usage, 'candidatesTokenCount'),
    },
  };
}
