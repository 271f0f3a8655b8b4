import type { InstructionMessage, Message } from '../../canonical/message.ts';
import type { CanonicalRequest, FieldName } from '../../canonical/request.ts';
import type { ModelParameters } from '../../interface/parameters.ts';
import type { EncodeTarget } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { adjusted, warnOfAdjustments } from '../../request/adjustment.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { adjustmentsOf, DEFAULT_PARAMETERS } from '../shared/adjust.ts';
import { encodeCacheControl } from '../shared/cache.ts';
import { encodeThinking, type ThinkingFields, type ThinkingLimits } from '../shared/thinking.ts';
import { lacksThoughts } from '../shared/thinking-turns.ts';
import { callInstruction, encodeToolChoice, isForced } from '../shared/tool-choice.ts';
import { limitBreakpoints } from './cache-breakpoints.ts';
import { placeBreakpoints } from './default-breakpoints.ts';
import { encodeTools } from './encode-tools.ts';
import { encodeTurns } from './encode-turns.ts';
import { encodeFormat } from './output-format.ts';
import { modelFields } from './request-form.ts';
import { encodeSampling } from './sampling.ts';

/** Fields that Anthropic does not have, and that do not change the content of a response. */
const LEFT_OUT: readonly FieldName[] = [
  'verbosity',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'cacheRetention',
  'metadata',
];

/** Fields that Anthropic does not have, and that change the content of a response. */
const REFUSED: readonly FieldName[] = ['logitBias', 'logprobs'];

/** Encodes a request for Anthropic. */
export function* encodeRequest(
  request: CanonicalRequest,
  target: EncodeTarget,
  diagnostics: Diagnostics,
): Stages<JsonRecord> {
  const { names } = request;
  const parameters = { ...DEFAULT_PARAMETERS, ...target.parameters };
  noteMissing(request, diagnostics);
  const maxTokens = limitOf(request, target, diagnostics);
  const { instructions, turns } = yield* partInstructions(request.messages, diagnostics);
  const messages = yield* encodeTurns(turns, parameters, diagnostics);
  const limits = { name: names.reasoning, maxTokens, rules: parameters.thinking };
  const tools = yield* encodeTools(request, diagnostics);
  const call = callOf(request, tools, parameters, diagnostics);
  const thinking = thinkingOf(request, messages, limits, call.isForced, diagnostics);
  const mode = thinking.thinking?.['type'];
  const isThinking = mode === 'enabled' || mode === 'adaptive';
  const format = encodeFormat(request, parameters, diagnostics);
  const config = { ...thinking.output_config, ...format.config };
  const system = [...instructions, ...format.instructions, ...call.instructions];
  const body = {
    ...modelFields(target.upstreamModel, target.form),
    max_tokens: maxTokens,
    ...(target.isStream && { stream: true }),
    ...(request.cache !== undefined && { cache_control: encodeCacheControl(request.cache) }),
    ...(request.userId !== undefined && { metadata: { user_id: request.userId } }),
    ...encodeSampling(request, { isThinking }, diagnostics),
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...(call.choice !== undefined && { tool_choice: call.choice }),
    ...(tools.length > 0 && { tools }),
    ...(system.length > 0 && { system }),
    messages,
  };
  placeFields(names, diagnostics);
  const adjustments = adjustmentsOf(body, parameters);
  warnOfAdjustments(adjustments, diagnostics);
  return yield* limitBreakpoints(placeBreakpoints(adjusted(body, adjustments), request), names.cache, diagnostics);
}

function noteMissing(request: CanonicalRequest, diagnostics: Diagnostics): void {
  const { names, truncation, choices } = request;
  for (const field of LEFT_OUT) {
    if (request[field] !== undefined) diagnostics.warn(names[field], "not passed on to this model's provider");
  }
  if (truncation === 'auto') diagnostics.warn(names.truncation, "not passed on to this model's provider");
  for (const field of REFUSED) {
    if (request[field] !== undefined)
      diagnostics.reject(names[field], "not available at this model's provider; remove it");
  }
  if (choices !== undefined && choices > 1) {
    diagnostics.reject(names.choices, "this model's provider returns one choice per request; set it to 1");
  }
}

/** The limit that the protocol requires: what the balance allows, else the client's, else the model's. */
function limitOf(request: CanonicalRequest, target: EncodeTarget, diagnostics: Diagnostics): number {
  const { maxOutputTokens: wanted, names } = request;
  if (target.outputTokens !== undefined) return target.outputTokens;
  if (wanted !== undefined && wanted > target.maxOutputTokens) {
    diagnostics.warn(names.maxOutputTokens, `sent as ${target.maxOutputTokens}, the maximum of this model`);
  }
  return Math.min(wanted ?? target.maxOutputTokens, target.maxOutputTokens);
}

interface PartedMessages {
  readonly instructions: readonly JsonRecord[];
  readonly turns: readonly Message[];
}

/** All instructions go in front of the conversation. If there is nothing else, the last one becomes the user's turn. */
function* partInstructions(messages: readonly Message[], diagnostics: Diagnostics): Stages<PartedMessages> {
  if (isTurnOver(messages.length)) yield;
  const first = messages.findIndex((message) => !isInstruction(message));
  const turns = messages.filter((message) => !isInstruction(message));
  const instructions = messages.filter(isInstruction);
  for (const message of messages.slice(first === -1 ? messages.length : first).filter(isInstruction)) {
    diagnostics.warn(
      message.at,
      'moved in front of the conversation, since this provider accepts instructions only there',
    );
  }
  const last = turns.length === 0 ? instructions.pop() : undefined;
  if (last !== undefined) {
    diagnostics.warn(last.at, 'sent as a user turn, since this provider requires one');
    turns.push({ role: 'user', parts: last.parts, ...(last.at !== undefined && { at: last.at }) });
  }
  const blocks: JsonRecord[] = [];
  for (const message of instructions) {
    for (const part of message.parts) {
      if (isTurnOver()) yield;
      if (part.text.trim() === '') continue;
      diagnostics.placed(`system[${blocks.length}]`, part.at ?? message.at);
      const cache = part.cache === undefined ? {} : { cache_control: encodeCacheControl(part.cache) };
      blocks.push({ type: 'text', text: part.text, ...cache });
    }
  }
  return { instructions: blocks, turns };
}

function isInstruction(message: Message): message is InstructionMessage {
  return message.role === 'system' || message.role === 'developer';
}

/** How the model is asked to call tools. */
interface EncodedCall {
  /** `tool_choice`. */
  readonly choice: JsonRecord | undefined;
  readonly isForced: boolean;
  /** Blocks after the client's instructions, for a call that cannot be forced. */
  readonly instructions: readonly JsonRecord[];
}

function callOf(
  { toolChoice, parallelToolCalls, names }: CanonicalRequest,
  tools: readonly JsonRecord[],
  { forcedCalls }: ModelParameters,
  diagnostics: Diagnostics,
): EncodedCall {
  if (tools.length === 0) return { choice: undefined, isForced: false, instructions: [] };
  if (!isForced(toolChoice) || forcedCalls !== false) {
    const choice = encodeToolChoice(toolChoice, parallelToolCalls);
    return { choice, isForced: isForced(toolChoice), instructions: [] };
  }
  diagnostics.warn(
    names.toolChoice,
    'sent as "auto" with an instruction to call a tool, since this model cannot be forced to',
  );
  const choice = encodeToolChoice({ type: 'auto' }, parallelToolCalls);
  return { choice, isForced: false, instructions: [callInstruction(toolChoice)] };
}

/**
 * With a thinking budget, Anthropic rejects forced calls, and continues an assistant turn, or accepts results of its tool
 * calls, only if the turn begins with reasoning of its own.
 */
function thinkingOf(
  request: CanonicalRequest,
  messages: readonly JsonRecord[],
  limits: ThinkingLimits,
  isCallForced: boolean,
  diagnostics: Diagnostics,
): ThinkingFields {
  const fields = encodeThinking(request.reasoning, limits, diagnostics);
  const mode = fields.thinking?.['type'];
  if (isCallForced && (mode === 'enabled' || (mode === 'adaptive' && limits.rules?.control === 'budget'))) {
    diagnostics.warn(limits.name, 'left out, since this model cannot be forced to call a tool while it thinks');
    return {};
  }
  if (mode !== 'enabled' || !lacksThoughts(messages)) return fields;
  diagnostics.warn(limits.name, "left out, since the assistant's last turn has no reasoning of this provider");
  return {};
}

/** Maps Anthropic's field names in error messages to the client's. */
function placeFields(names: CanonicalRequest['names'], diagnostics: Diagnostics): void {
  diagnostics.placed('max_tokens', names.maxOutputTokens);
  diagnostics.placed('temperature', names.temperature);
  diagnostics.placed('top_p', names.topP);
  diagnostics.placed('top_k', names.topK);
  diagnostics.placed('stop_sequences', names.stop);
  diagnostics.placed('thinking', names.reasoning);
  diagnostics.placed('tool_choice', names.toolChoice);
  diagnostics.placed('output_config.format', names.responseFormat);
  diagnostics.placed('output_config.effort', names.reasoning);
  diagnostics.placed('metadata.user_id', names.userId);
}
