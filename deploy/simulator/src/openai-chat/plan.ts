import { hash } from 'node:crypto';
import { defaultPieces, fillerPieces, textPieces } from '../answer/pieces.ts';
import { MAX_OUTPUT_TOKENS } from '../answer/tokens.ts';
import type { Controls } from '../controls/schema.ts';
import type { ChatRequest } from './request.ts';
import { countPromptTokens, makeUsage, type Usage } from './usage.ts';

/** Tokens beyond the limit when the limit is to be ignored and no number was asked for. */
const TOKENS_OVER_LIMIT = 50;
/** Every answer was created at this moment, so that equal requests get equal answers: 2025-01-01T00:00:00Z. */
export const CREATED = 1_735_689_600;

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface PlannedToolCall {
  id: string;
  name: string;
  /** One piece is one token. */
  arguments: string[];
}

/** Everything an answer says, before it is put in one of its two forms. */
export interface Plan {
  id: string;
  model: string;
  /** The text of each choice; one piece is one token. */
  pieces: readonly string[];
  toolCalls: PlannedToolCall[];
  finishReason: FinishReason;
  /** Number of choices; all say the same. */
  n: number;
  usage: Usage;
}

/** Decides what to answer, from the request alone. */
export function planAnswer(request: ChatRequest, body: Buffer, controls: Controls): Plan {
  const digest = hash('sha256', body);
  const limit = controls.ignore_limit === true ? Number.POSITIVE_INFINITY : (request.limit ?? MAX_OUTPUT_TOKENS);
  const reasoning = Math.min(controls.reasoning_tokens ?? 0, limit);
  const wantedCalls = wantedToolCalls(request, controls);
  let room = limit - reasoning;
  let cut = (controls.reasoning_tokens ?? 0) > limit;
  const take = (wanted: readonly string[]): readonly string[] => {
    const taken = wanted.length <= room ? wanted : wanted.slice(0, room);
    cut ||= taken.length < wanted.length;
    room -= taken.length;
    return taken;
  };
  const pieces =
    wantedCalls.length > 0 && controls.text === undefined ? [] : take(wantedPieces(request, controls, room));
  const toolCalls = wantedCalls.map((call, index) => ({
    id: `call_sim${digest.slice(0, 20)}${index}`,
    name: call.name,
    arguments: [...take(textPieces(call.arguments))],
  }));
  const completion = reasoning + count(pieces, toolCalls);
  return {
    id: `chatcmpl-sim${digest.slice(0, 26)}`,
    model: request.model,
    pieces,
    toolCalls,
    finishReason: controls.finish_reason ?? (cut ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop'),
    n: request.n,
    usage: makeUsage(
      countPromptTokens(request),
      completion * request.n,
      controls.cached_tokens ?? 0,
      reasoning * request.n,
    ),
  };
}

function count(pieces: readonly string[], toolCalls: readonly PlannedToolCall[]): number {
  return toolCalls.reduce((sum, call) => sum + call.arguments.length, pieces.length);
}

function wantedToolCalls(request: ChatRequest, controls: Controls): { name: string; arguments: string }[] {
  if (controls.tool_calls !== undefined) return controls.tool_calls;
  return request.forcedTool === undefined ? [] : [{ name: request.forcedTool, arguments: '{"simulated":true}' }];
}

function wantedPieces(request: ChatRequest, controls: Controls, room: number): readonly string[] {
  if (controls.text !== undefined) return textPieces(controls.text);
  // One token more than there is room for, so that the cut shows as finish_reason "length".
  if (controls.output_tokens === 'max') return fillerPieces(Number.isFinite(room) ? room + 1 : overLimit(request));
  if (controls.output_tokens !== undefined) return fillerPieces(Math.min(controls.output_tokens, room + 1));
  if (controls.ignore_limit === true) return fillerPieces(overLimit(request));
  return request.jsonAnswer ? textPieces('{"simulated":true}') : defaultPieces();
}

function overLimit(request: ChatRequest): number {
  return (request.limit ?? MAX_OUTPUT_TOKENS) + TOKENS_OVER_LIMIT;
}
