import type { InstructionMessage, Message } from '../../canonical/message.ts';
import type { CanonicalRequest, FieldName } from '../../canonical/request.ts';
import type { EncodeTarget } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { adjusted, warnOfAdjustments } from '../../request/adjustment.ts';
import type { Diagnostics } from '../../request/diagnostics.ts';
import { adjustmentsOf, DEFAULT_PARAMETERS } from '../shared/adjust.ts';
import { encodeContents } from '../shared/encode-contents.ts';
import { encodeConfig } from './encode-config.ts';
import { encodeTools } from './encode-tools.ts';

/** Fields that Google does not have, and that do not change the content of a response. */
const LEFT_OUT: readonly FieldName[] = ['verbosity', 'cacheKey', 'cacheRetention', 'metadata', 'userId'];

/** Encodes a request for Google. The path names the model and whether to stream. */
export function* encodeRequest(
  request: CanonicalRequest,
  target: EncodeTarget,
  diagnostics: Diagnostics,
): Stages<JsonRecord> {
  noteMissing(request, diagnostics);
  yield* noteCacheHints(request, diagnostics);
  const { instructions, turns } = partInstructions(request.messages, diagnostics);
  if (isTurnOver(request.messages.length)) yield;
  const parts: JsonRecord[] = [];
  for (const { text, at } of instructions.flatMap((message) => message.parts)) {
    if (isTurnOver()) yield;
    if (text === '') continue;
    diagnostics.placed(`systemInstruction.parts[${parts.length}]`, at);
    parts.push({ text });
  }
  const parameters = { ...DEFAULT_PARAMETERS, ...target.parameters };
  const config = { generationConfig: encodeConfig(request, target, diagnostics) };
  const adjustments = adjustmentsOf(config, parameters);
  warnOfAdjustments(adjustments, diagnostics);
  const { generationConfig = {} } = adjusted(config, adjustments);
  return {
    contents: yield* encodeContents(turns, parameters, diagnostics),
    ...(parts.length > 0 && { systemInstruction: { parts } }),
    ...(yield* encodeTools(request, diagnostics)),
    ...(isRecord(generationConfig) && Object.keys(generationConfig).length > 0 && { generationConfig }),
  };
}

function noteMissing(request: CanonicalRequest, diagnostics: Diagnostics): void {
  const { names, truncation } = request;
  for (const field of LEFT_OUT) {
    if (request[field] !== undefined) diagnostics.warn(names[field], "not passed on to this model's provider");
  }
  if (truncation === 'auto') diagnostics.warn(names.truncation, "not passed on to this model's provider");
  if (request.logitBias !== undefined) {
    diagnostics.reject(names.logitBias, "not available at this model's provider; remove it");
  }
}

function* noteCacheHints(request: CanonicalRequest, diagnostics: Diagnostics): Stages<void> {
  const hint = request.cache === undefined ? yield* firstCacheHint(request) : { at: request.names.cache };
  if (hint !== undefined) diagnostics.warn(hint.at, 'left out, since this provider caches by itself');
}

/** The path of the first part with a cache hint. */
function* firstCacheHint({
  messages,
  tools,
}: CanonicalRequest): Stages<{ readonly at: string | undefined } | undefined> {
  for (const tool of tools) if (tool.cache !== undefined) return { at: tool.at };
  for (const message of messages) {
    if (isTurnOver()) yield;
    for (const part of message.parts) {
      if (isTurnOver()) yield;
      if ('cache' in part && part.cache !== undefined) return { at: part.at ?? message.at };
      const inner = part.type === 'tool-result' ? part.parts.find((one) => one.cache !== undefined) : undefined;
      if (inner !== undefined) return { at: inner.at ?? part.at };
    }
  }
  return undefined;
}

interface PartedMessages {
  readonly instructions: readonly InstructionMessage[];
  readonly turns: readonly Message[];
}

/** All instructions go in front of the conversation. If there is nothing else, the last one becomes the user's turn. */
function partInstructions(messages: readonly Message[], diagnostics: Diagnostics): PartedMessages {
  const first = messages.findIndex((message) => !isInstruction(message));
  const late = messages.slice(first === -1 ? messages.length : first).filter(isInstruction);
  for (const message of late) {
    diagnostics.warn(
      message.at,
      'moved in front of the conversation, since this provider accepts instructions only there',
    );
  }
  const instructions = messages.filter(isInstruction);
  const turns = messages.filter((message) => !isInstruction(message));
  const last = turns.length === 0 ? instructions.pop() : undefined;
  if (last === undefined) return { instructions, turns };
  diagnostics.warn(last.at, 'sent as a user turn, since this provider requires one');
  return { instructions, turns: [{ role: 'user', parts: last.parts, ...(last.at !== undefined && { at: last.at }) }] };
}

function isInstruction(message: Message): message is InstructionMessage {
  return message.role === 'system' || message.role === 'developer';
}
