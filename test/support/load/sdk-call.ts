import OpenAI from 'openai';
import { at } from '../gateway/json.ts';
import type { Answer } from './read-answer.ts';

const SILENCE_MS = 30_000;

export interface SdkAsk {
  protocol: 'openai-chat' | 'openai-responses';
  streamed: boolean;
  model: string;
  text: string;
  maxTokens: number;
}

/** What the official client made of a call. */
export interface SdkResult {
  reached: boolean;
  status: number | undefined;
  requestId: string | undefined;
  /** What the client says went wrong. */
  said: string | undefined;
  answer: Answer;
}

/** Makes a call with OpenAI's own client, which tries nothing twice here; never rejects. */
export async function callSdk(baseUrl: string, key: string, ask: SdkAsk): Promise<SdkResult> {
  const client = new OpenAI({ apiKey: key, baseURL: baseUrl, maxRetries: 0, timeout: SILENCE_MS });
  const result: SdkResult = {
    reached: true,
    status: undefined,
    requestId: undefined,
    said: undefined,
    answer: { ended: false, text: '', isError: false, told: undefined },
  };
  try {
    await (ask.protocol === 'openai-chat' ? chat(client, ask, result) : responses(client, ask, result));
  } catch (error) {
    // A body that breaks off makes the client throw what fetch throws.
    result.said = String(error).slice(0, 300);
    if (!(error instanceof OpenAI.APIError)) return result;
    if (error.status !== undefined) {
      result.status = error.status;
      result.requestId = error.headers?.get('x-request-id') ?? undefined;
      result.answer.isError = true;
    } else if (!(error instanceof OpenAI.APIConnectionError)) {
      // An error event within a stream.
      result.answer.isError = true;
    } else if (result.status === undefined && at(error, 'cause', 'cause', 'code') === 'ECONNREFUSED') {
      result.reached = false;
    }
  }
  return result;
}

async function chat(client: OpenAI, ask: SdkAsk, result: SdkResult): Promise<void> {
  const { answer } = result;
  const params = {
    model: ask.model,
    messages: [{ role: 'user' as const, content: ask.text }],
    max_completion_tokens: ask.maxTokens,
  };
  if (!ask.streamed) {
    const { data, response } = await client.chat.completions.create(params).withResponse();
    noteHead(result, response);
    answer.text = data.choices[0]?.message.content ?? '';
    answer.told = toldBy(data);
    answer.ended = true;
    return;
  }
  const streamed = { ...params, stream: true as const, stream_options: { include_usage: true } };
  const { data, response } = await client.chat.completions.create(streamed).withResponse();
  noteHead(result, response);
  let finished = false;
  for await (const chunk of data) {
    answer.text += chunk.choices[0]?.delta.content ?? '';
    finished ||= chunk.choices[0]?.finish_reason != null;
    answer.told = toldBy(chunk) ?? answer.told;
  }
  answer.ended = finished;
}

async function responses(client: OpenAI, ask: SdkAsk, result: SdkResult): Promise<void> {
  const { answer } = result;
  const params = { model: ask.model, input: ask.text, max_output_tokens: ask.maxTokens };
  if (!ask.streamed) {
    const { data, response } = await client.responses.create(params).withResponse();
    noteHead(result, response);
    answer.text = data.output_text;
    answer.told = toldBy(data);
    answer.ended = true;
    return;
  }
  const { data, response } = await client.responses.create({ ...params, stream: true }).withResponse();
  noteHead(result, response);
  for await (const event of data) {
    if (event.type === 'response.output_text.delta') answer.text += event.delta;
    if (event.type === 'response.failed' || event.type === 'error') answer.isError = true;
    if (event.type !== 'response.completed') continue;
    answer.told = toldBy(event.response);
    answer.ended = true;
  }
}

function noteHead(result: SdkResult, response: Response): void {
  result.status = response.status;
  result.requestId = response.headers.get('x-request-id') ?? undefined;
}

/** `usage.cost`, a number of dollars, in nano-dollars. */
function toldBy(holder: unknown): bigint | undefined {
  const cost = at(holder, 'usage', 'cost');
  return typeof cost === 'number' ? BigInt(Math.round(cost * 1e9)) : undefined;
}
