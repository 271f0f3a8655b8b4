import type { InstructionMessage, Message } from '../../canonical/message.ts';
import type { CanonicalRequest, FieldName } from '../../canonical/request.ts';
import type { EncodeTarget } from '../../interface/protocol.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { encodeCacheControl } from '../shared/cache.ts';
import { modelKind } from '../shared/model-kind.ts';
import { encodeThinking, type ThinkingFields, type ThinkingLimits } from '../shared/thinking.ts';
import { encodeToolChoice, isForced } from '../shared/tool-choice.ts';
import { limitBreakpoints } from './cache-breakpoints.ts';
import { placeBreakpoints } from './default-breakpoints.ts';
import { encodeTools } from './encode-tools.ts';
import { encodeTurns, isThought } from './encode-turns.ts';
import { encodeSampling } from './sampling.ts';
import { strictSchema } from './strict-schema.ts';

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
  noteMissing(request, diagnostics);
  const maxTokens = limitOf(request, target, diagnostics);
  const { instructions, turns } = yield* partInstructions(request.messages, diagnostics);
  const messages = yield* encodeTurns(turns, diagnostics);
  const model = modelKind(target.upstreamModel);
  const thinking = thinkingOf(request, messages, { name: names.reasoning, maxTokens, model }, diagnostics);
  const isThinking = thinking.thinking !== undefined && thinking.thinking['type'] !== 'disabled';
  const tools = yield* encodeTools(request, diagnostics);
  const toolChoice = tools.length === 0 ? undefined : choiceOf(request, isThinking, diagnostics);
  const config = { ...thinking.output_config, ...formatOf(request, diagnostics) };
  const body = {
    model: target.upstreamModel,
    max_tokens: maxTokens,
    ...(target.isStream && { stream: true }),
    ...(request.cache !== undefined && { cache_control: encodeCacheControl(request.cache) }),
    ...(request.userId !== undefined && { metadata: { user_id: request.userId } }),
    ...encodeSampling(request, { isThinking, isFixed: model.isAdaptive }, diagnostics),
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...(toolChoice !== undefined && { tool_choice: toolChoice }),
    ...(tools.length > 0 && { tools }),
    ...(instructions.length > 0 && { system: instructions }),
    messages,
  };
  placeFields(names, diagnostics);
  return yield* limitBreakpoints(placeBreakpoints(body, request), names.cache, diagnostics);
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

/**
 * With a thinking budget, Anthropic rejects forced calls, and continues an assistant turn, or accepts results of its tool
 * calls, only if the turn begins with reasoning of its own.
 */
function thinkingOf(
  request: CanonicalRequest,
  messages: readonly JsonRecord[],
  limits: ThinkingLimits,
  diagnostics: Diagnostics,
): ThinkingFields {
  const fields = encodeThinking(request.reasoning, limits, diagnostics);
  if (fields.thinking?.['type'] !== 'enabled' || !lacksThoughts(messages)) return fields;
  diagnostics.warn(limits.name, "left out, since the assistant's last turn has no reasoning of this provider");
  return {};
}

function lacksThoughts(messages: readonly JsonRecord[]): boolean {
  const last = messages.findLast((message) => message['role'] === 'assistant');
  const content = last?.['content'];
  if (!Array.isArray(content)) return false;
  const blocks = content.filter(isRecord);
  const isGoneOnWith = last === messages.at(-1) || blocks.some((block) => block['type'] === 'tool_use');
  const [first] = blocks;
  return isGoneOnWith && first !== undefined && !isThought(first);
}

function choiceOf(request: CanonicalRequest, isThinking: boolean, diagnostics: Diagnostics): JsonRecord | undefined {
  if (isThinking && isForced(request.toolChoice)) {
    diagnostics.reject(
      request.names.toolChoice,
      "this model's provider forces no tool while the model thinks; let the model choose, or switch reasoning off",
    );
  }
  return encodeToolChoice(request.toolChoice, request.parallelToolCalls);
}

function formatOf({ responseFormat, names }: CanonicalRequest, diagnostics: Diagnostics): JsonRecord {
  switch (responseFormat?.type) {
    case undefined:
    case 'text':
      return {};
    case 'json':
      diagnostics.reject(
        names.responseFormat,
        "this model's provider supports JSON output only with a schema; send a JSON schema",
      );
      return {};
    case 'json-schema': {
      const strictForm = strictSchema(responseFormat.schema);
      if (strictForm === undefined) {
        diagnostics.reject(
          names.responseFormat,
          "this model's provider supports only schemas whose objects list all their properties (additionalProperties: false)",
        );
        return {};
      }
      if (strictForm.reported.size > 0) {
        diagnostics.warn(
          names.responseFormat,
          `${[...strictForm.reported].join(', ')}: described to the model, but not enforced`,
        );
      }
      return { format: { type: 'json_schema', schema: strictForm.schema } };
    }
    default:
      return responseFormat satisfies never;
  }
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
