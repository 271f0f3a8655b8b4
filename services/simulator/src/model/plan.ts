import { hash } from 'node:crypto';
import type { Citation, Controls, FinishControl } from '../controls/schema.ts';
import type { Conversation, ToolSpec } from './conversation.ts';
import { countInput } from './count-input.ts';
import { echoJson } from './echo.ts';
import { defaultPieces, fillerPieces, textPieces } from './pieces.ts';
import { sampleJson } from './sample-json.ts';
import { MAX_OUTPUT_TOKENS } from './tokens.ts';
import type { WebPlan } from './web.ts';

/** Default number of tokens beyond an ignored limit. */
const TOKENS_OVER_LIMIT = 50;
/** Creation time of every response, fixed so that equal requests get equal responses: 2025-01-01T00:00:00Z. */
export const CREATED = 1_735_689_600;

/** Why a response ended, in neutral terms. */
export type Finish = FinishControl;

export interface PlannedToolCall {
  name: string;
  /** Whether its input is free text. */
  custom: boolean;
  /** The namespace that its name begins with, before two underscores. */
  namespace: string | undefined;
  item: ToolSpec['item'];
  /** One piece is one token. */
  arguments: readonly string[];
}

export interface PlannedReasoning {
  /** The text, one piece per token; empty if only its size is known. */
  pieces: readonly string[];
  /** The complete text, also in encrypted values. */
  text: string;
  tokens: number;
  /** Whether only the encrypted value contains it. */
  redacted: boolean;
}

/** Counts of a response. Cache reads and writes are part of the input, reasoning of the output. */
export interface Usage {
  input: number;
  cacheRead: number;
  cacheWrite5m: number;
  cacheWrite1h: number;
  output: number;
  reasoning: number;
}

/** The content of a response, independent of protocol and form. */
export interface Plan {
  /** Hex digits that depend on the complete request, for ids. */
  digest: string;
  model: string;
  reasoning: PlannedReasoning | undefined;
  /** The text of each choice; one piece per token. */
  pieces: readonly string[];
  /** Whether the text is a refusal. */
  refused: boolean;
  toolCalls: PlannedToolCall[];
  citations: readonly Citation[];
  finish: Finish;
  /** The stop sequence that ended it. */
  stopSequence: string | undefined;
  /** Whether the prompt was blocked, so that there is no output. */
  blocked: boolean;
  /** Number of choices, all alike. */
  n: number;
  usage: Usage;
  /** Uses of web tools; undefined without any. */
  web?: WebPlan | undefined;
}

/** Zero counts. */
export const NO_USAGE: Usage = {
  input: 0,
  cacheRead: 0,
  cacheWrite5m: 0,
  cacheWrite1h: 0,
  output: 0,
  reasoning: 0,
};

/**
 * Plans the response, from the request alone.
 *
 * @param protocol name for the echo
 * @param body the request's bytes, for the ids
 */
export function planOutput(protocol: string, conversation: Conversation, body: Buffer, given: Controls): Plan {
  const { settings } = conversation;
  const controls = given.prompt_blocked === true ? blockedControls(given) : given;
  const limit = controls.ignore_limit === true ? Number.POSITIVE_INFINITY : (settings.limit ?? MAX_OUTPUT_TOKENS);
  const reasoning = planReasoning(controls, limit);
  const wantedCalls = wantedToolCalls(conversation, controls);
  let room = limit - (reasoning?.tokens ?? 0);
  let cut = reasoning !== undefined && reasoning.tokens < wantedReasoning(controls);
  const take = (wanted: readonly string[]): readonly string[] => {
    const taken = wanted.length <= room ? wanted : wanted.slice(0, room);
    cut ||= taken.length < wanted.length;
    room -= taken.length;
    return taken;
  };
  const silent = wantedCalls.length > 0 && controls.text === undefined && controls.echo !== true;
  const wanted = silent ? [] : wantedPieces(protocol, conversation, controls, room);
  const stop = cutAtStop(wanted, settings.stop);
  const pieces = take(stop?.pieces ?? wanted);
  const stopped = stop !== undefined && !cut;
  const calls = settings.parallelToolCalls === false ? wantedCalls.slice(0, 1) : wantedCalls;
  const toolCalls = stopped
    ? []
    : calls.map((call) => {
        const tool = conversation.tools.find(({ name }) => name === call.name);
        const { custom = false, namespace, item } = tool ?? {};
        return { name: call.name, custom, namespace, item, arguments: take(textPieces(call.arguments)) };
      });
  const finish = controls.finish_reason ?? naturalFinish({ cut, stopped, calls: toolCalls.length > 0 });
  const output = (reasoning?.tokens ?? 0) + pieces.length + sumOf(toolCalls.map((call) => call.arguments.length));
  return {
    digest: hash('sha256', body),
    model: conversation.model,
    reasoning,
    pieces,
    refused: controls.refusal !== undefined,
    toolCalls,
    citations: controls.citations ?? [],
    finish: controls.refusal !== undefined && controls.finish_reason === undefined && !cut ? 'refusal' : finish,
    stopSequence: stopped ? stop.sequence : finish === 'stop_sequence' ? settings.stop[0] : undefined,
    blocked: controls.prompt_blocked === true,
    n: settings.choices,
    usage: {
      ...cacheCounts(countInput(conversation), controls),
      output: output * settings.choices,
      reasoning: (reasoning?.tokens ?? 0) * settings.choices,
    },
  };
}

/** Tokens that a response sends in sequence, for its pace. */
export function pacedTokens(plan: Plan): number {
  return plan.pieces.length + (plan.reasoning?.pieces.length ?? 0);
}

/** A blocked prompt has no output: only the input is counted. */
function blockedControls(given: Controls): Controls {
  const { reasoning, reasoning_tokens, tool_calls, refusal, citations, echo, output_tokens, ...kept } = given;
  return { ...kept, text: '', finish_reason: given.finish_reason ?? 'content_filter' };
}

function naturalFinish(given: { cut: boolean; stopped: boolean; calls: boolean }): Finish {
  if (given.cut) return 'length';
  if (given.stopped) return 'stop_sequence';
  return given.calls ? 'tool_calls' : 'stop';
}

function planReasoning(controls: Controls, limit: number): PlannedReasoning | undefined {
  const wanted = wantedReasoning(controls);
  if (wanted === 0) return undefined;
  const tokens = Math.min(wanted, limit);
  const pieces = textPieces(controls.reasoning ?? '').slice(0, tokens);
  return { pieces, text: pieces.join(''), tokens, redacted: controls.reasoning_redacted === true };
}

function wantedReasoning(controls: Controls): number {
  return controls.reasoning_tokens ?? textPieces(controls.reasoning ?? '').length;
}

function cacheCounts(input: number, controls: Controls) {
  const cacheRead = Math.min(controls.cached_tokens ?? 0, input);
  const cacheWrite5m = Math.min(controls.cache_write_5m_tokens ?? 0, input - cacheRead);
  const cacheWrite1h = Math.min(controls.cache_write_1h_tokens ?? 0, input - cacheRead - cacheWrite5m);
  return { input, cacheRead, cacheWrite5m, cacheWrite1h };
}

function wantedToolCalls(conversation: Conversation, controls: Controls): { name: string; arguments: string }[] {
  if (controls.prompt_blocked === true) return [];
  if (controls.tool_calls !== undefined) return controls.tool_calls;
  const choice = conversation.settings.toolChoice;
  if (choice === undefined || choice.kind === 'auto' || choice.kind === 'none') return [];
  const wanted = choice.kind === 'tool' ? choice.name : (choice.names?.[0] ?? conversation.tools[0]?.name);
  const tool = conversation.tools.find((candidate) => candidate.name === wanted);
  return tool === undefined ? [] : [{ name: tool.name, arguments: sampleJson(tool.schema) }];
}

function wantedPieces(
  protocol: string,
  conversation: Conversation,
  controls: Controls,
  room: number,
): readonly string[] {
  const { settings } = conversation;
  if (controls.echo === true) return textPieces(echoJson(protocol, conversation));
  const said = controls.refusal ?? controls.text;
  if (said !== undefined) return textPieces(said);
  const over = (settings.limit ?? MAX_OUTPUT_TOKENS) + TOKENS_OVER_LIMIT;
  // One token beyond the limit, so that the response finishes by length.
  if (controls.output_tokens === 'max') return fillerPieces(Number.isFinite(room) ? room + 1 : over);
  if (controls.output_tokens !== undefined) return fillerPieces(Math.min(controls.output_tokens, room + 1));
  if (controls.ignore_limit === true) return fillerPieces(over);
  if (settings.responseFormat === undefined) return defaultPieces();
  return textPieces(sampleJson(settings.responseFormat.kind === 'schema' ? settings.responseFormat.schema : undefined));
}

/** The pieces before the first stop sequence; undefined without one. */
function cutAtStop(
  pieces: readonly string[],
  sequences: readonly string[],
): { pieces: string[]; sequence: string } | undefined {
  if (sequences.length === 0) return undefined;
  const text = pieces.join('');
  const hits = sequences.map((sequence) => ({ sequence, at: text.indexOf(sequence) })).filter((hit) => hit.at >= 0);
  const [first] = hits.sort((a, b) => a.at - b.at);
  if (first === undefined) return undefined;
  const kept: string[] = [];
  let room = first.at;
  for (const piece of pieces) {
    if (room <= 0) break;
    kept.push(piece.slice(0, room));
    room -= piece.length;
  }
  return { pieces: kept, sequence: first.sequence };
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
