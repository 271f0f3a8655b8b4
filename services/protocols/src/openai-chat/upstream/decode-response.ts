import type { AnswerPart } from '../../canonical/part.ts';
import type { Choice } from '../../canonical/response.ts';
import { isRecord, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import type { DecodeContext, WholeReading } from '../../protocol.ts';
import { runToEnd } from '../../stages.ts';
import { describeError } from '../../upstream-error.ts';
import { choiceIndex } from '../shared/chunk.ts';
import { readAssistant } from '../shared/decode-assistant.ts';
import { type Held, readFinish } from '../shared/finish-reason.ts';
import { readLogprobs } from '../shared/logprobs.ts';
import { readChatUsage, unreadableChatUsage } from '../usage.ts';

/** Reads an upstream's whole answer. */
export function decodeWhole(body: Buffer, { newId }: DecodeContext): WholeReading {
  const value = parseJson(body.toString('utf8'));
  if (!isRecord(value)) return { kind: 'malformed', problem: 'the answer is no JSON object' };
  const { error } = value;
  if (error !== undefined && error !== null) return { kind: 'error', error: describeError(value) };
  const list = value['choices'];
  if (!Array.isArray(list) || list.length === 0) return { kind: 'malformed', problem: 'the answer has no choices' };
  const records: JsonRecord[] = list.map(recordOr);
  const places = records.map((_, place) => place);
  places.sort((a, b) => choiceIndex(records[a] ?? {}, a) - choiceIndex(records[b] ?? {}, b));
  const choices = places.map((place) => readChoice(records[place] ?? {}, newId));
  const { created } = value;
  return {
    kind: 'answer',
    response: {
      id: stringOr(value['id']),
      created: typeof created === 'number' && Number.isSafeInteger(created) ? created : undefined,
      choices,
      usage: readChatUsage(value['usage']),
    },
    unreadable: unreadableChatUsage(value['usage']),
  };
}

function readChoice(choice: JsonRecord, newId: () => string): Choice {
  const message = recordOr(choice['message']);
  const parts = runToEnd(readAssistant(message, { at: undefined, callId: () => `call_${newId()}` }));
  const finish = readFinish(stringOr(choice['finish_reason']), heldIn(parts));
  const logprobs = readLogprobs(choice['logprobs']);
  return { parts, finish, ...(logprobs !== undefined && { logprobs }) };
}

export function heldIn(parts: readonly AnswerPart[]): Held {
  return {
    calls: parts.some((part) => part.type === 'tool-call'),
    refusal: parts.some((part) => part.type === 'refusal'),
  };
}
