import type { OutputPart, ToolCallPart } from '../../canonical/part.ts';
import { isRecord, type JsonRecord, recordOr, stringOr } from '../../json/record.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { decodeCacheControl } from './cache.ts';
import { isEmptyCall, readCalled, readFunction } from './called.ts';
import { decodeCitations } from './citations.ts';
import { decodeOutputImages } from './media.ts';
import { decodeCallSignature, decodeReasoning, thinkingText } from './reasoning.ts';

export interface AssistantOptions {
  /** The message's path in a client's request; undefined in a response. */
  readonly at: string | undefined;
  /** The id of a call that has none. */
  readonly callId: () => string;
}

/**
 * Decodes an assistant message of a request or a response: reasoning first, then content, then calls. Malformed members
 * of an upstream's message are ignored.
 */
export function* decodeAssistant(message: JsonRecord, result: AssistantOptions): Stages<OutputPart[]> {
  const { at } = result;
  const thoughts = decodeReasoning(message, at);
  const said = yield* readContent(message, at);
  const lastText = said.findLastIndex((part) => part.type === 'text');
  const text = said[lastText];
  if (text?.type === 'text') {
    const citations = decodeCitations(message['annotations']);
    if (citations.length > 0) said[lastText] = { ...text, citations };
  }
  const calls = yield* readCalls(message, result);
  return [...thoughts, ...said, ...decodeOutputImages(message['images']), ...calls];
}

function place(at: string | undefined, key: string): string | undefined {
  return at === undefined ? undefined : `${at}.${key}`;
}

function placed(at: string | undefined): { at?: string } {
  return at === undefined ? {} : { at };
}

function* readContent(message: JsonRecord, at: string | undefined): Stages<OutputPart[]> {
  const { content, refusal } = message;
  const parts: OutputPart[] = [];
  const where = place(at, 'content');
  if (Array.isArray(content)) {
    for (const [i, element] of content.entries()) {
      const part = readPart(recordOr(element), where === undefined ? undefined : `${where}[${i}]`);
      if (part !== undefined) parts.push(part);
      if (isTurnOver()) yield;
    }
  } else if (typeof content === 'string' && content !== '') {
    parts.push({ type: 'text', text: content, ...placed(where) });
  }
  const transcript = stringOr(recordOr(message['audio'])['transcript']);
  if (transcript !== '') parts.push({ type: 'text', text: transcript, ...placed(where) });
  if (typeof refusal === 'string' && refusal !== '') {
    parts.push({ type: 'refusal', text: refusal, ...placed(place(at, 'refusal')) });
  }
  return parts;
}

function readPart(part: JsonRecord, at: string | undefined): OutputPart | undefined {
  if (part['type'] === 'thinking') {
    const thought = thinkingText(part);
    return thought === '' ? undefined : { type: 'reasoning', form: 'full', text: thought, ...placed(at) };
  }
  const text = stringOr(part['text']);
  if (text !== '') return { type: 'text', text, ...decodeCacheControl(part), ...placed(at) };
  const refusal = stringOr(part['refusal']);
  return refusal === '' ? undefined : { type: 'refusal', text: refusal, ...placed(at) };
}

function* readCalls(message: JsonRecord, { at, callId }: AssistantOptions): Stages<ToolCallPart[]> {
  const { tool_calls: calls, function_call: single } = message;
  const parts: ToolCallPart[] = [];
  if (Array.isArray(calls)) {
    for (const [i, element] of calls.entries()) {
      const call = recordOr(element);
      const called = readCalled(call);
      if (at === undefined && isEmptyCall(called)) continue;
      const { opaque, thoughts } = decodeCallSignature(call);
      const id = stringOr(call['id']) || callId();
      const where = at === undefined ? undefined : `${at}.tool_calls[${i}]`;
      parts.push({
        type: 'tool-call',
        id,
        ...called,
        ...(opaque !== undefined && { opaque }),
        // A response has its reasoning in fields of its own.
        ...(thoughts !== undefined && at !== undefined && { thoughts }),
        ...placed(where),
      });
      if (isTurnOver()) yield;
    }
  }
  if (isRecord(single) && parts.length === 0) {
    const called = readFunction(single);
    const where = placed(place(at, 'function_call'));
    if (at !== undefined || !isEmptyCall(called)) parts.push({ type: 'tool-call', id: callId(), ...called, ...where });
  }
  return parts;
}
