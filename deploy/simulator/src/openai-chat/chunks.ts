import type { Controls } from '../controls/schema.ts';
import type { StreamEvent } from '../delivery/stream.ts';
import { CREATED, type Plan, type PlannedToolCall } from './plan.ts';
import type { ChatRequest } from './request.ts';
import { makeUsage, type Usage } from './usage.ts';

/** How long late usage waits when no wait was asked for. */
const LATE_USAGE_MS = 200;

const FINAL: StreamEvent = { data: '[DONE]', delayMs: 0 };

/**
 * The events of a streamed chat completion: for each choice its role, then its tokens one an event, then its finish
 * reason; then the usage where it is asked for; then [DONE].
 */
export function* chunkEvents(plan: Plan, request: ChatRequest, controls: Controls): Generator<StreamEvent> {
  const chunks = new ChunkText(plan, request, controls);
  const delayMs = controls.token_delay_ms ?? 0;
  const forms = tokenDeltas(plan);
  let wait = (controls.first_token_delay_ms ?? 0) + delayMs;
  for (let index = 0; index < plan.n; index += 1) {
    yield { data: chunks.choice(index, openingDelta(plan), null, 0), delayMs: 0 };
    let told = 0;
    for (const delta of forms()) {
      told += delta.tokens;
      yield { data: chunks.choice(index, delta.json, null, told), delayMs: wait };
      wait = delayMs;
    }
    yield { data: chunks.choice(index, '{}', plan.finishReason, told), delayMs: 0 };
  }
  yield* usageEvents(plan, request, controls, chunks);
  if (controls.no_done !== true) yield FINAL;
}

function* usageEvents(plan: Plan, request: ChatRequest, controls: Controls, chunks: ChunkText): Generator<StreamEvent> {
  const usage = controls.usage ?? 'normal';
  switch (usage) {
    case 'normal':
    case 'late':
      if (!request.includeUsage) return;
      yield {
        data: chunks.usage(plan.usage),
        delayMs: usage === 'late' ? (controls.usage_delay_ms ?? LATE_USAGE_MS) : 0,
      };
      return;
    case 'zero':
      if (request.includeUsage) yield { data: chunks.usage(makeUsage(0, 0, 0, 0)), delayMs: 0 };
      return;
    case 'omit':
    case 'with_finish':
    case 'cumulative':
      return;
    default:
      return usage satisfies never;
  }
}

interface TokenDelta {
  json: string;
  tokens: number;
}

function tokenDeltas(plan: Plan): () => Generator<TokenDelta> {
  return function* () {
    for (const piece of plan.pieces) yield { json: `{"content":${JSON.stringify(piece)}}`, tokens: 1 };
    for (const [index, call] of plan.toolCalls.entries()) yield* toolCallDeltas(index, call);
  };
}

function* toolCallDeltas(index: number, call: PlannedToolCall): Generator<TokenDelta> {
  const opening = { index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } };
  yield { json: JSON.stringify({ tool_calls: [opening] }), tokens: 0 };
  for (const piece of call.arguments) {
    yield { json: JSON.stringify({ tool_calls: [{ index, function: { arguments: piece } }] }), tokens: 1 };
  }
}

function openingDelta(plan: Plan): string {
  const hasText = plan.pieces.length > 0 || plan.toolCalls.length === 0;
  return `{"role":"assistant","content":${hasText ? '""' : 'null'},"refusal":null}`;
}

/** Puts chunks together as text: all chunks of a stream share all but a few fields. */
class ChunkText {
  readonly #head: string;
  readonly #plan: Plan;
  readonly #controls: Controls;
  readonly #nullUsage: string;
  readonly #obfuscation: string;

  constructor(plan: Plan, request: ChatRequest, controls: Controls) {
    this.#plan = plan;
    this.#controls = controls;
    this.#head =
      `{"id":"${plan.id}","object":"chat.completion.chunk","created":${CREATED},` +
      `"model":${JSON.stringify(plan.model)},"service_tier":"default","system_fingerprint":"fp_simulated","choices":`;
    this.#nullUsage = request.includeUsage && controls.usage !== 'omit' ? ',"usage":null' : '';
    this.#obfuscation = request.includeObfuscation ? ',"obfuscation":"simulated"' : '';
  }

  /** @param told tokens told so far of this choice, this event's included */
  choice(index: number, deltaJson: string, finish: string | null, told: number): string {
    const reason = finish === null ? 'null' : `"${finish}"`;
    const choices = `[{"index":${index},"delta":${deltaJson},"logprobs":null,"finish_reason":${reason}}]`;
    return `${this.#head}${choices}${this.#usageField(finish !== null, told)}${this.#obfuscation}}`;
  }

  usage(usage: Usage): string {
    return `${this.#head}[],"usage":${JSON.stringify(usage)}${this.#obfuscation}}`;
  }

  #usageField(finished: boolean, told: number): string {
    if (this.#controls.usage === 'with_finish' && finished) return `,"usage":${JSON.stringify(this.#plan.usage)}`;
    if (this.#controls.usage !== 'cumulative') return this.#nullUsage;
    const { prompt_tokens, prompt_tokens_details, completion_tokens_details } = this.#plan.usage;
    const reasoning = completion_tokens_details.reasoning_tokens;
    const usage = makeUsage(prompt_tokens, reasoning + told, prompt_tokens_details.cached_tokens, reasoning);
    return `,"usage":${JSON.stringify(usage)}`;
  }
}
