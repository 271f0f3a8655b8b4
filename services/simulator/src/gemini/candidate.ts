import type { Controls } from '../controls/schema.ts';
import { alternatives, logprobAt } from '../model/logprobs.ts';
import type { Plan, PlannedToolCall } from '../model/plan.ts';
import { wrapReasoning } from '../model/wrapped-reasoning.ts';
import { parseObject } from '../validation/fields.ts';
import { finishReason } from './finish-reason.ts';
import { webMetadata, webParts } from './web.ts';

/** Optional output of a candidate: thoughts, calls of Google's own tools, and the number of alternatives for each token. */
export interface OutputOptions {
  thoughts: boolean;
  toolCalls: boolean;
  logprobs: number | undefined;
  serviceTier: string | undefined;
}

/** The signature of a response's reasoning, as a field of a part; empty without reasoning. That of a call is bound to it. */
export function signatureField(plan: Plan, call?: PlannedToolCall): { thoughtSignature?: string } {
  if (plan.reasoning === undefined) return {};
  const item = call === undefined ? {} : { item: call.name };
  return { thoughtSignature: wrapReasoning({ kind: 'gemini', text: plan.reasoning.text, ...item }) };
}

/** The visible pieces of the thoughts. */
export function shownThoughts(plan: Plan, options: OutputOptions): readonly string[] {
  if (plan.reasoning === undefined || plan.reasoning.redacted || !options.thoughts) return [];
  return plan.reasoning.pieces;
}

/** The visible pieces of the text; a refusal has none. */
export function shownText(plan: Plan): readonly string[] {
  return plan.refused ? [] : plan.pieces;
}

/** The part of a tool call; the first one carries the signature. */
export function callPart(plan: Plan, call: PlannedToolCall, index: number, controls: Controls) {
  const id = controls.tool_call_ids === true ? { id: `sim${plan.digest.slice(0, 8)}${index}` } : {};
  const args = parseObject(call.arguments.join('')) ?? {};
  return { functionCall: { ...id, name: call.name, args }, ...(index === 0 ? signatureField(plan, call) : {}) };
}

/** The parts of a buffered candidate. */
export function bufferedParts(plan: Plan, options: OutputOptions, controls: Controls): object[] {
  const parts: object[] = [];
  const thoughts = shownThoughts(plan, options).join('');
  if (thoughts !== '') parts.push({ text: thoughts, thought: true });
  if (options.toolCalls) parts.push(...webParts(plan));
  const text = shownText(plan).join('');
  const signed = plan.toolCalls.length === 0 && !plan.refused ? signatureField(plan) : {};
  if (text !== '' || 'thoughtSignature' in signed) parts.push({ text, ...signed });
  for (const [index, call] of plan.toolCalls.entries()) parts.push(callPart(plan, call, index, controls));
  return parts;
}

/** The fields for the end of a candidate and its sources. */
export function endFields(plan: Plan) {
  const message = plan.refused
    ? { finishMessage: plan.pieces.join('') }
    : plan.finish === 'malformed_call'
      ? { finishMessage: 'Malformed function call: simulated' }
      : {};
  return { finishReason: finishReason(plan.finish), ...message, ...grounding(plan) };
}

/** The log probabilities of pieces, starting at an index. */
export function logprobsFields(pieces: readonly string[], start: number, options: OutputOptions) {
  const top = options.logprobs;
  if (top === undefined || pieces.length === 0) return {};
  const chosenCandidates = pieces.map((token, at) => ({
    token,
    tokenId: start + at,
    logProbability: logprobAt(start + at),
  }));
  const topCandidates = pieces.map((piece, at) => ({
    candidates: alternatives(piece, start + at, top).map(({ token, logprob }, rank) => ({
      token,
      tokenId: start + at + rank,
      logProbability: logprob,
    })),
  }));
  return { logprobsResult: { chosenCandidates, ...(top > 0 ? { topCandidates } : {}) } };
}

/** The mean log probability of all tokens of a text. */
export function averageLogprob(pieces: readonly string[], options: OutputOptions) {
  if (options.logprobs === undefined || pieces.length === 0) return {};
  const sum = pieces.reduce((total, _, index) => total + logprobAt(index), 0);
  return { avgLogprobs: sum / pieces.length };
}

function grounding(plan: Plan) {
  const { search, pages } = webMetadata(plan);
  if (plan.citations.length === 0) return pages;
  const text = plan.pieces.join('');
  const groundingSupports = plan.citations.map((citation, index) => {
    const [start, end] = [citation.start ?? 0, citation.end ?? text.length];
    const startIndex = Buffer.byteLength(text.slice(0, start));
    const segment = {
      ...(startIndex > 0 ? { startIndex } : {}),
      endIndex: Buffer.byteLength(text.slice(0, end)),
      text: text.slice(start, end),
    };
    return { segment, groundingChunkIndices: [index] };
  });
  return {
    ...pages,
    groundingMetadata: {
      ...(plan.web === undefined ? { webSearchQueries: ['simulated'] } : search),
      groundingChunks: plan.citations.map(({ url, title }) => ({ web: { uri: url, title } })),
      groundingSupports,
    },
  };
}
