import OpenAI from 'openai';
import { at } from '../gateway/json.ts';
import type { CallResponse } from './read-response.ts';

const SILENCE_MS = 30_000;

export interface SdkAsk {
  protocol: 'openai-chat' | 'openai-responses';
  streamed: boolean;
  model: string;
  text: string;
  maxTokens: number;
}

/** The official SDK's result of a call. */
export interface SdkResult {
  reached: boolean;
  status: number | undefined;
  requestId: string | undefined;
  /** The SDK's error. */
  said: string | undefined;
  response: CallResponse;
}

/** Makes a call with OpenAI's SDK without retries; never rejects. */
export async function callSdk(baseUrl: string, key: string, ask: SdkAsk): Promise<SdkResult> {
  const client = new OpenAI({ apiKey: key, baseURL: baseUrl, maxRetries: 0, timeout: SILENCE_MS });
  const result: SdkResult = {
    reached: true,
    status: undefined,
    requestId: undefined,
    said: undefined,
    response: { ended: false, text: '', isError: false, reported: undefined },
  };
  try {
    await (ask.protocol === 'openai-chat' ? chat(client, ask, result) : responses(client, ask, result));
  } catch (error) {
    // A body that is cut off makes the client throw what fetch throws.
    result.said = String(error).slice(0, 300);
    if (!(error instanceof OpenAI.APIError)) return result;
    if (error.status !== undefined) {
      result.status = error.status;
      result.requestId = error.headers?.get('x-request-id') ?? undefined;
      result.response.isError = true;
    } else if (!(error instanceof OpenAI.APIConnectionError)) {
      // An error event within a stream.
      result.response.isError = true;
    } else if (result.status === undefined && at(error, 'cause', 'cause', 'code') === 'ECONNREFUSED') {
      result.reached = false;
    }
  }
  return result;
}

async function chat(client: OpenAI, ask: SdkAsk, result: SdkResult): Promise<void> {
  const { response } = result;
  const params = {
    model: ask.model,
    messages: [{ role: 'user' as const, content: ask.text }],
    max_completion_tokens: ask.maxTokens,
  };
  if (!ask.streamed) {
    const { data, response: http } = await client.chat.completions.create(params).withResponse();
    noteHead(result, http);
    response.text = data.choices[0]?.message.content ?? '';
    response.reported = usageOf(data);
    response.ended = true;
    return;
  }
  const streamed = { ...params, stream: true as const, stream_options: { include_usage: true } };
  const { data, response: http } = await client.chat.completions.create(streamed).withResponse();
  noteHead(result, http);
  let finished = false;
  for await (const chunk of data) {
    response.text += chunk.choices[0]?.delta.content ?? '';
    finished ||= chunk.choices[0]?.finish_reason != null;
    response.reported = usageOf(chunk) ?? response.reported;
  }
  response.ended = finished;
}

async function responses(client: OpenAI, ask: SdkAsk, result: SdkResult): Promise<void> {
  const { response } = result;
  const params = { model: ask.model, input: ask.text, max_output_tokens: ask.maxTokens };
  if (!ask.streamed) {
    const { data, response: http } = await client.responses.create(params).withResponse();
    noteHead(result, http);
    response.text = data.output_text;
    response.reported = usageOf(data);
    response.ended = true;
    return;
  }
  const { data, response: http } = await client.responses.create({ ...params, stream: true }).withResponse();
  noteHead(result, http);
  for await (const event of data) {
    if (event.type === 'response.output_text.delta') response.text += event.delta;
    if (event.type === 'response.failed' || event.type === 'error') response.isError = true;
    if (event.type !== 'response.completed') continue;
    response.reported = usageOf(event.response);
    response.ended = true;
  }
}

function noteHead(result: SdkResult, response: Response): void {
  result.status = response.status;
  result.requestId = response.headers.get('x-request-id') ?? undefined;
}

/** `usage.cost`, a number of dollars, in nano-dollars. */
function usageOf(holder: unknown): bigint | undefined {
  const cost = at(holder, 'usage', 'cost');
  return typeof cost === 'number' ? BigInt(Math.round(cost * 1e9)) : undefined;
}
