import type { Controls } from '../controls/schema.ts';
import { Pacing } from '../delivery/pacing.ts';
import type { StreamEvent } from '../delivery/stream.ts';
import { CREATED, NO_USAGE, type Plan, type PlannedToolCall, type Usage } from '../model/plan.ts';
import { finishReason } from './finish-reason.ts';
import { tokenLogprob } from './logprobs.ts';
import { annotations, reasoningDetails, shownReasoning, toolCallId } from './message.ts';
import type { ChatRequest } from './request.ts';
import { servedTier } from './service-tier.ts';
import { usageJson } from './usage.ts';

const FINAL: StreamEvent = { data: '[DONE]', delayMs: 0 };

/**
 * The events of a streamed chat completion: for each choice its role, one event per token, and its finish reason; then
 * the usage if requested; then [DONE].
 */
export function* chunkEvents(plan: Plan, request: ChatRequest, controls: Controls): Generator<StreamEvent> {
  const chunks = new ChunkText(plan, request, controls);
  const pacing = new Pacing(controls);
  for (let index = 0; index < plan.n; index += 1) {
    yield { data: chunks.choice(index, openingDelta(plan), null, 0), delayMs: 0 };
    let reported = 0;
    for (const delta of tokenDeltas(plan, request, controls)) {
      reported += delta.tokens;
      yield { data: chunks.choice(index, delta.json, null, reported, delta.logprobs), delayMs: pacing.next() };
    }
    yield { data: chunks.choice(index, '{}', finishReason(plan.finish), reported), delayMs: 0 };
  }
  yield* usageEvents(plan, request, controls, chunks, pacing);
  if (controls.no_done !== true) yield FINAL;
}

function* usageEvents(
  plan: Plan,
  request: ChatRequest,
  controls: Controls,
  chunks: ChunkText,
  pacing: Pacing,
): Generator<StreamEvent> {
  const usage = controls.usage ?? 'normal';
  switch (usage) {
    case 'normal':
    case 'late':
      if (request.includeUsage) yield { data: chunks.usage(plan.usage), delayMs: pacing.usage() };
      return;
    case 'zero':
      if (request.includeUsage) yield { data: chunks.usage(NO_USAGE), delayMs: 0 };
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
  /** JSON of the log probabilities, `null` for none. */
  logprobs?: string;
}

function* tokenDeltas(plan: Plan, request: ChatRequest, controls: Controls): Generator<TokenDelta> {
  for (const piece of shownReasoning(plan)) {
    yield { json: `{"reasoning_content":${JSON.stringify(piece)}}`, tokens: 0 };
  }
  const details = reasoningDetails(plan, controls);
  if (details.length > 0) yield { json: JSON.stringify({ reasoning_details: details }), tokens: 0 };
  const top = request.conversation.settings.logprobs;
  const field = plan.refused ? 'refusal' : 'content';
  for (const [index, piece] of plan.pieces.entries()) {
    const json = `{"${field}":${JSON.stringify(piece)}}`;
    if (top === undefined) yield { json, tokens: 1 };
    else {
      const reported = { content: [tokenLogprob(piece, index, top)], refusal: null };
      yield { json, tokens: 1, logprobs: JSON.stringify(reported) };
    }
  }
  if (plan.citations.length > 0) yield { json: JSON.stringify({ annotations: annotations(plan) }), tokens: 0 };
  for (const [index, call] of plan.toolCalls.entries()) yield* toolCallDeltas(toolCallId(plan, index), index, call);
}

function* toolCallDeltas(id: string, index: number, call: PlannedToolCall): Generator<TokenDelta> {
  const opening = call.custom
    ? { index, id, type: 'custom', custom: { name: call.name, input: '' } }
    : { index, id, type: 'function', function: { name: call.name, arguments: '' } };
  yield { json: JSON.stringify({ tool_calls: [opening] }), tokens: 0 };
  for (const piece of call.arguments) {
    const delta = call.custom ? { index, custom: { input: piece } } : { index, function: { arguments: piece } };
    yield { json: JSON.stringify({ tool_calls: [delta] }), tokens: 1 };
  }
}

function openingDelta(plan: Plan): string {
  const hasText = !plan.refused && (plan.pieces.length > 0 || plan.toolCalls.length === 0);
  return `{"role":"assistant","content":${hasText ? '""' : 'null'},"refusal":null}`;
}

/** Builds chunks as text, because all chunks of a stream share most fields. */
class ChunkText {
  readonly #head: string;
  readonly #plan: Plan;
  readonly #controls: Controls;
  readonly #nullUsage: string;
  readonly #obfuscation: string;

  constructor(plan: Plan, request: ChatRequest, controls: Controls) {
    this.#plan = plan;
    this.#controls = controls;
    const { service_tier: tier } = servedTier(request.conversation.settings.serviceTier, controls);
    const tierMember = tier === undefined ? '' : `"service_tier":${JSON.stringify(tier)},`;
    this.#head =
      `{"id":"chatcmpl-sim${plan.digest.slice(0, 26)}","object":"chat.completion.chunk","created":${CREATED},` +
      `"model":${JSON.stringify(plan.model)},${tierMember}"system_fingerprint":"fp_simulated","choices":`;
    this.#nullUsage = request.includeUsage && controls.usage !== 'omit' ? ',"usage":null' : '';
    this.#obfuscation = request.includeObfuscation ? ',"obfuscation":"simulated"' : '';
  }

  /** @param reported tokens of this choice so far, including this event */
  choice(index: number, deltaJson: string, finish: string | null, reported: number, logprobs = 'null'): string {
    const reason = finish === null ? 'null' : `"${finish}"`;
    const choices = `[{"index":${index},"delta":${deltaJson},"logprobs":${logprobs},"finish_reason":${reason}}]`;
    return `${this.#head}${choices}${this.#usageField(finish !== null, reported)}${this.#obfuscation}}`;
  }

  usage(usage: Usage): string {
    return `${this.#head}[],"usage":${JSON.stringify(usageJson(usage))}${this.#obfuscation}}`;
  }

  #usageField(finished: boolean, reported: number): string {
    const { usage } = this.#plan;
    if (this.#controls.usage === 'with_finish' && finished) return `,"usage":${JSON.stringify(usageJson(usage))}`;
    if (this.#controls.usage !== 'cumulative') return this.#nullUsage;
    return `,"usage":${JSON.stringify(usageJson({ ...usage, output: usage.reasoning + reported }))}`;
  }
}
