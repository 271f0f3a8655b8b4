import type { EncodeNotes } from '../../canonical/encode-notes.ts';
import type { InstructionMessage, Message } from '../../canonical/message.ts';
import type { CanonicalRequest, FieldName } from '../../canonical/request.ts';
import type { JsonRecord } from '../../json/record.ts';
import { isRecord } from '../../json/record.ts';
import type { EncodeTarget } from '../../protocol.ts';
import { isTurnOver, type Stages } from '../../stages.ts';
import { cacheControlOf } from '../shared/cache.ts';
import { modelKind } from '../shared/model-kind.ts';
import { type ThinkingFields, type ThinkingLimits, thinkingFields } from '../shared/thinking.ts';
import { blockOfToolChoice, isForced } from '../shared/tool-choice.ts';
import { limitBreakpoints } from './cache-breakpoints.ts';
import { encodeTools } from './encode-tools.ts';
import { encodeTurns, isThought } from './encode-turns.ts';
import { samplingFields } from './sampling.ts';
import { heldSchema } from './strict-schema.ts';

/** Fields that Anthropic has no word for, and that change nothing of what an answer says. */
const LEFT_OUT: readonly FieldName[] = [
  'verbosity',
  'seed',
  'presencePenalty',
  'frequencyPenalty',
  'cacheKey',
  'cacheRetention',
  'metadata',
];

/** Those without which the answer would be another than was asked for. */
const REFUSED: readonly FieldName[] = ['logitBias', 'logprobs'];

/** Writes a request for Anthropic. */
export function* encodeRequest(
  request: CanonicalRequest,
  target: EncodeTarget,
  notes: EncodeNotes,
): Stages<JsonRecord> {
  const { names } = request;
  noteMissing(request, notes);
  const maxTokens = limitOf(request, target, notes);
  const { instructions, turns } = yield* partInstructions(request.messages, notes);
  const messages = yield* encodeTurns(turns, notes);
  const model = modelKind(target.upstreamModel);
  const thinking = thinkingOf(request, messages, { name: names.reasoning, maxTokens, model }, notes);
  const isThinking = thinking.thinking !== undefined && thinking.thinking['type'] !== 'disabled';
  const tools = yield* encodeTools(request, notes);
  const toolChoice = tools.length === 0 ? undefined : choiceOf(request, isThinking, notes);
  const config = { ...thinking.output_config, ...formatOf(request, notes) };
  const body = {
    model: target.upstreamModel,
    max_tokens: maxTokens,
    ...(target.isStream && { stream: true }),
    ...(request.cache !== undefined && { cache_control: cacheControlOf(request.cache) }),
    ...(request.userId !== undefined && { metadata: { user_id: request.userId } }),
    ...samplingFields(request, { isThinking, isFixed: model.isAdaptive }, notes),
    ...(thinking.thinking !== undefined && { thinking: thinking.thinking }),
    ...(Object.keys(config).length > 0 && { output_config: config }),
    ...(toolChoice !== undefined && { tool_choice: toolChoice }),
    ...(tools.length > 0 && { tools }),
    ...(instructions.length > 0 && { system: instructions }),
    messages,
  };
  placeFields(names, notes);
  return yield* limitBreakpoints(body, names.cache, notes);
}

function noteMissing(request: CanonicalRequest, notes: EncodeNotes): void {
  const { names, truncation, choices } = request;
  for (const field of LEFT_OUT) {
    if (request[field] !== undefined) notes.warn(names[field], "not passed on to this model's provider");
  }
  if (truncation === 'auto') notes.warn(names.truncation, "not passed on to this model's provider");
  for (const field of REFUSED) {
    if (request[field] !== undefined)
      notes.refuse(names[field], "this model's provider does not offer it; leave it out");
  }
  if (choices !== undefined && choices > 1) {
    notes.refuse(names.choices, "this model's provider gives one answer to a request; set it to 1");
  }
}

/** The limit that the protocol demands: what the balance affords, else the client's, else the model's. */
function limitOf(request: CanonicalRequest, target: EncodeTarget, notes: EncodeNotes): number {
  const { maxOutputTokens: wanted, names } = request;
  if (target.outputTokens !== undefined) return target.outputTokens;
  if (wanted !== undefined && wanted > target.maxOutputTokens) {
    notes.warn(names.maxOutputTokens, `sent as ${target.maxOutputTokens}, the most this model generates`);
  }
  return Math.min(wanted ?? target.maxOutputTokens, target.maxOutputTokens);
}

interface PartedMessages {
  readonly instructions: readonly JsonRecord[];
  readonly turns: readonly Message[];
}

/** All instructions stand in front of the conversation. A request of nothing else asks with the last of them. */
function* partInstructions(messages: readonly Message[], notes: EncodeNotes): Stages<PartedMessages> {
  if (isTurnOver(messages.length)) yield;
  const first = messages.findIndex((message) => !isInstruction(message));
  const turns = messages.filter((message) => !isInstruction(message));
  const instructions = messages.filter(isInstruction);
  for (const message of messages.slice(first === -1 ? messages.length : first).filter(isInstruction)) {
    notes.warn(message.at, 'moved in front of the conversation, where this provider takes instructions');
  }
  const last = turns.length === 0 ? instructions.pop() : undefined;
  if (last !== undefined) {
    notes.warn(last.at, "sent as the user's turn, since this provider takes no request without one");
    turns.push({ role: 'user', parts: last.parts, ...(last.at !== undefined && { at: last.at }) });
  }
  const blocks: JsonRecord[] = [];
  for (const message of instructions) {
    for (const part of message.parts) {
      if (isTurnOver()) yield;
      if (part.text.trim() === '') continue;
      notes.placed(`system[${blocks.length}]`, part.at ?? message.at);
      const cache = part.cache === undefined ? {} : { cache_control: cacheControlOf(part.cache) };
      blocks.push({ type: 'text', text: part.text, ...cache });
    }
  }
  return { instructions: blocks, turns };
}

function isInstruction(message: Message): message is InstructionMessage {
  return message.role === 'system' || message.role === 'developer';
}

/**
 * With a budget for thinking, Anthropic takes no forced call, and goes on with a turn of the assistant's, or with results of
 * the tools that it called, only where the turn begins with a thought of its own.
 */
function thinkingOf(
  request: CanonicalRequest,
  messages: readonly JsonRecord[],
  limits: ThinkingLimits,
  notes: EncodeNotes,
): ThinkingFields {
  const fields = thinkingFields(request.reasoning, limits, notes);
  if (fields.thinking?.['type'] !== 'enabled' || !lacksThoughts(messages)) return fields;
  notes.warn(limits.name, "left out, since the assistant's last turn came without thoughts of this provider");
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

function choiceOf(request: CanonicalRequest, isThinking: boolean, notes: EncodeNotes): JsonRecord | undefined {
  if (isThinking && isForced(request.toolChoice)) {
    notes.refuse(
      request.names.toolChoice,
      "this model's provider forces no tool while the model thinks; let the model choose, or switch reasoning off",
    );
  }
  return blockOfToolChoice(request.toolChoice, request.parallelToolCalls);
}

function formatOf({ responseFormat, names }: CanonicalRequest, notes: EncodeNotes): JsonRecord {
  switch (responseFormat?.type) {
    case undefined:
    case 'text':
      return {};
    case 'json':
      notes.refuse(names.responseFormat, "this model's provider answers in JSON only by a schema; give a JSON schema");
      return {};
    case 'json-schema': {
      const held = heldSchema(responseFormat.schema);
      if (held === undefined) {
        notes.refuse(
          names.responseFormat,
          "this model's provider holds answers only to schemas whose objects list all their properties",
        );
        return {};
      }
      if (held.told.size > 0) {
        notes.warn(names.responseFormat, `the model is told of ${[...held.told].join(', ')}, but not held to it`);
      }
      return { format: { type: 'json_schema', schema: held.schema } };
    }
    default:
      return responseFormat satisfies never;
  }
}

/** Where Anthropic names a field of its own, the client is told of the one it set. */
function placeFields(names: CanonicalRequest['names'], notes: EncodeNotes): void {
  notes.placed('max_tokens', names.maxOutputTokens);
  notes.placed('temperature', names.temperature);
  notes.placed('top_p', names.topP);
  notes.placed('top_k', names.topK);
  notes.placed('stop_sequences', names.stop);
  notes.placed('thinking', names.reasoning);
  notes.placed('tool_choice', names.toolChoice);
  notes.placed('output_config.format', names.responseFormat);
  notes.placed('output_config.effort', names.reasoning);
  notes.placed('metadata.user_id', names.userId);
}
