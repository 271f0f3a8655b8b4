import type { OutputPart } from '../../canonical/part.ts';
import type { Choice } from '../../canonical/response.ts';
import { describeError } from '../../interface/errors.ts';
import type { DecodeContext, DecodeResult } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import { runToEnd } from '../../lists/stages.ts';
import { choiceError, choiceIndex } from '../shared/chunk.ts';
import { decodeAssistant } from '../shared/decode-assistant.ts';
import { type Contents, decodeFinish } from '../shared/finish-reason.ts';
import { decodeLogprobs } from '../shared/logprobs.ts';
import { readReport } from '../shared/usage.ts';

/** Reads an upstream's buffered response. */
export function decodeResponse(body: Buffer, { newId }: DecodeContext): DecodeResult {
  const value = parseJson(body.toString('utf8'));
  if (!isRecord(value)) return { kind: 'malformed', problem: 'the response is not a JSON object' };
  const { error } = value;
  if (error !== undefined && error !== null) return { kind: 'error', error: describeError(value) };
  const list = value['choices'];
  const broken = choiceError(list);
  if (broken !== undefined) return { kind: 'error', error: broken };
  if (!Array.isArray(list) || list.length === 0) return { kind: 'malformed', problem: 'the response has no choices' };
  const records: JsonRecord[] = list.map(recordOr);
  const places = records.map((_, place) => place);
  places.sort((a, b) => choiceIndex(records[a] ?? {}, a) - choiceIndex(records[b] ?? {}, b));
  const choices = places.map((place) => decodeChoice(records[place] ?? {}, newId));
  const { created } = value;
  const { usage, unreadable, details } = readReport(value, body);
  return {
    kind: 'response',
    response: {
      id: stringOr(value['id']),
      created: typeof created === 'number' && Number.isSafeInteger(created) ? created : undefined,
      choices,
      usage,
      ...(details !== undefined && { usageDetails: details }),
    },
    unreadable,
  };
}

function decodeChoice(choice: JsonRecord, newId: () => string): Choice {
  const message = recordOr(choice['message']);
  const parts = runToEnd(decodeAssistant(message, { at: undefined, callId: () => `call_${newId()}` }));
  const finish = decodeFinish(stringOr(choice['finish_reason']), containedIn(parts));
  const logprobs = decodeLogprobs(choice['logprobs']);
  return { parts, finish, ...(logprobs !== undefined && { logprobs }) };
}

export function containedIn(parts: readonly OutputPart[]): Contents {
  return {
    calls: parts.some((part) => part.type === 'tool-call'),
    refusal: parts.some((part) => part.type === 'refusal'),
  };
}
