import type { ProtocolName } from '../../src/canonical/protocol-name.ts';
import type { Usage } from '../../src/canonical/usage.ts';

/**
 * An answer with the usage of a provider: its members, their order and place are those of the source; texts, ids and most
 * numbers are made up. The recordings of the AI SDK and pydantic-ai were read on 2026-11-24; other sources are where the shape
 * is documented, and were not read.
 */
export interface UsageShape {
  readonly provider: string;
  /** What is particular about it. */
  readonly name: string;
  readonly protocol: ProtocolName;
  /** Documentation, or a public project that recorded the answer. */
  readonly source: string;
  /** The body of a whole answer, or the data of each event. Text is sent as it is. */
  readonly whole?: object;
  readonly stream?: readonly (object | string)[];
  /** Tokens by bucket, as the provider's documentation defines its counts; absent ones are 0. */
  readonly meant: Partial<Usage>;
  /** What the provider says that it charges, in nano-dollars. */
  readonly upstreamNanos?: bigint;
}

/** The text of every answer. */
export const TEXT = 'Mostly blue.';

type Given = Omit<UsageShape, 'protocol' | 'whole' | 'stream'>;

/** A whole chat completion. `more` are members beside `usage`. */
export function chatWhole(given: Given, usage: unknown, more: object = {}): UsageShape {
  const message = { role: 'assistant', content: TEXT };
  const choices = [{ index: 0, message, finish_reason: 'stop' }];
  const whole = { id: 'c-1', object: 'chat.completion', created: 17, model: 'up', choices, usage, ...more };
  return { ...given, protocol: 'openai-chat', whole };
}

/** Where a stream has its usage. */
export interface ChatPlaces {
  /** Members of each chunk with text. */
  readonly running?: readonly object[];
  /** Members of the chunk with the finish reason, and of its choice. */
  readonly last?: object;
  readonly lastChoice?: object;
  /** Members of the chunk without choices. */
  readonly extra?: object;
  readonly done?: boolean;
  readonly comments?: boolean;
}

/** A stream of chat completions. */
export function chatStream(given: Given, places: ChatPlaces): UsageShape {
  const { running = [{}, {}], last = {}, lastChoice = {}, extra, done = true, comments = false } = places;
  const head = { id: 'c-1', object: 'chat.completion.chunk', created: 17, model: 'up' };
  const pieces = [TEXT.slice(0, 6), TEXT.slice(6)];
  const chunk = (choices: object[], more: object) => ({ ...head, choices, ...more });
  const stream = [
    ...(comments ? [': OPENROUTER PROCESSING'] : []),
    ...pieces.map((content, i) => {
      const delta = { role: 'assistant', content };
      return chunk([{ index: 0, delta, finish_reason: null }], running[i] ?? {});
    }),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop', ...lastChoice }], last),
    ...(extra === undefined ? [] : [chunk([], extra)]),
    ...(done ? ['[DONE]'] : []),
  ];
  return { ...given, protocol: 'openai-chat', stream };
}

/** A whole message. */
export function messageWhole(given: Given, usage: object): UsageShape {
  const content = [{ type: 'text', text: TEXT }];
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', content };
  return {
    ...given,
    protocol: 'anthropic-messages',
    whole: { ...head, stop_reason: 'end_turn', stop_sequence: null, usage },
  };
}

/** A streamed message; usage that is undefined is absent. */
export function messageStream(given: Given, start: object | undefined, delta: object | undefined): UsageShape {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'up', content: [], stop_reason: null };
  const stream = [
    { type: 'message_start', message: { ...message, ...(start && { usage: start }) } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, ...(delta && { usage: delta }) },
    { type: 'message_stop' },
  ];
  return { ...given, protocol: 'anthropic-messages', stream };
}

function responseObject(usage: unknown): object {
  const content = [{ type: 'output_text', text: TEXT, annotations: [] }];
  const output = [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content }];
  return { id: 'resp_1', object: 'response', created_at: 17, model: 'up', status: 'completed', output, usage };
}

/** A whole response. */
export function responseWhole(given: Given, usage: unknown): UsageShape {
  return { ...given, protocol: 'openai-responses', whole: responseObject(usage) };
}

/** A streamed response as compatible servers send it: without numbers, and without the events around the text. */
export function responseStream(given: Given, usage: unknown, isBare = false): UsageShape {
  const begin = { type: 'response.created', response: { ...responseObject(null), status: 'in_progress', output: [] } };
  const delta = { type: 'response.output_text.delta', delta: TEXT };
  const place = { item_id: 'msg_1', output_index: 0, content_index: 0 };
  const stream = [
    ...(isBare ? [delta] : [begin, { ...delta, ...place }]),
    { type: 'response.completed', response: responseObject(usage) },
  ];
  return { ...given, protocol: 'openai-responses', stream };
}

function candidate(text: string, finishReason?: string): object {
  const content = { parts: [{ text }], role: 'model' };
  return { candidates: [{ content, index: 0, ...(finishReason && { finishReason }) }] };
}

/** A whole answer of Google's. */
export function geminiWhole(given: Given, usageMetadata: object): UsageShape {
  return { ...given, protocol: 'gemini', whole: { ...candidate(TEXT, 'STOP'), usageMetadata, modelVersion: 'up' } };
}

/** A stream of Google's, with usage at each chunk. */
export function geminiStream(given: Given, first: object, last: object): UsageShape {
  const stream = [
    { ...candidate(TEXT.slice(0, 6)), usageMetadata: first, modelVersion: 'up' },
    { ...candidate(TEXT.slice(6), 'STOP'), usageMetadata: last, modelVersion: 'up' },
  ];
  return { ...given, protocol: 'gemini', stream };
}
