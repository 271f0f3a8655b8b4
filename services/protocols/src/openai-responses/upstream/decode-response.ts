import type { ImagePart, OutputPart } from '../../canonical/part.ts';
import type { TokenLogprob } from '../../canonical/response.ts';
import { describeError } from '../../interface/errors.ts';
import type { DecodeContext, DecodeResult } from '../../interface/protocol.ts';
import { isRecord, type JsonRecord, parseJson, recordOr, stringOr } from '../../json/record.ts';
import { decodeCitations } from '../shared/citations.ts';
import { decodeFinish, failureOf, finishWord } from '../shared/finish-reason.ts';
import { decodeLogprobs } from '../shared/logprobs.ts';
import { decodeReasoning } from '../shared/reasoning.ts';
import { readReport } from '../shared/usage.ts';

/** Reads a buffered response of an upstream. */
export function decodeResponse(body: Buffer, context: DecodeContext): DecodeResult {
  const response = parseJson(body.toString('utf8'));
  if (!isRecord(response)) return { kind: 'malformed', problem: 'the response is not a JSON object' };
  const failure = failureOf(response);
  if (failure !== undefined) return { kind: 'error', error: describeError(failure) };
  const { output } = response;
  if (!Array.isArray(output)) return { kind: 'malformed', problem: 'the response has no output' };
  const items = output.map(recordOr);
  const parts = items.flatMap((item) => decodeOutputItem(item, context));
  const logprobs = items.flatMap(logprobsOf);
  const refusal = parts.some((part) => part.type === 'refusal');
  const finish = decodeFinish(finishWord(response), { calls: parts.some(isCall), refusal });
  const created = response['created_at'];
  const { usage, unreadable, details } = readReport(response, body, []);
  return {
    kind: 'response',
    response: {
      id: stringOr(response['id']),
      created: typeof created === 'number' ? Math.trunc(created) : undefined,
      choices: [{ parts, finish, ...(logprobs.length > 0 && { logprobs }) }],
      usage,
      ...(details !== undefined && { usageDetails: details }),
    },
    unreadable,
  };
}

function isCall(part: OutputPart): boolean {
  return part.type === 'tool-call';
}

/** Decodes an item of the output into parts. Runs of provider tools have none. */
export function decodeOutputItem(item: JsonRecord, context: DecodeContext): OutputPart[] {
  switch (item['type']) {
    case 'message':
    case undefined:
      return recordsIn(item['content']).flatMap(decodeContent);
    case 'reasoning':
      return listOf(decodeReasoning(item));
    case 'function_call':
    case 'custom_tool_call':
      return [decodeCall(item, context)];
    case 'image_generation_call':
      return listOf(decodeImage(item));
    default:
      return [];
  }
}

function listOf<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}

/** The elements of a list, such as a message's content. */
export function recordsIn(content: unknown): JsonRecord[] {
  return Array.isArray(content) ? content.map(recordOr) : [];
}

/** Decodes a part of a message's content; undefined if it is empty. */
export function decodeContent(part: JsonRecord): OutputPart[] {
  if (part['type'] === 'refusal') {
    const text = stringOr(part['refusal']).toWellFormed();
    return text === '' ? [] : [{ type: 'refusal', text }];
  }
  const text = stringOr(part['text']).toWellFormed();
  if (text === '') return [];
  const citations = decodeCitations(part['annotations']);
  return [{ type: 'text', text, ...(citations.length > 0 && { citations }) }];
}

/** Reads a call of a tool that the client runs. */
export function decodeCall(item: JsonRecord, { newId }: DecodeContext): Extract<OutputPart, { type: 'tool-call' }> {
  const kind = item['type'] === 'custom_tool_call' ? 'custom' : 'function';
  const input = stringOr(kind === 'custom' ? item['input'] : item['arguments']);
  return { type: 'tool-call', kind, id: callIdOf(item, newId), name: stringOr(item['name']), input };
}

/** The id that the result of a call refers to. */
export function callIdOf(item: JsonRecord, newId: () => string): string {
  return stringOr(item['call_id']) || stringOr(item['id']) || `call_${newId()}`;
}

/** Decodes a generated image; undefined if it is missing. */
export function decodeImage(item: JsonRecord): ImagePart | undefined {
  const { result, output_format: format } = item;
  if (typeof result !== 'string' || result === '') return undefined;
  const mediaType = `image/${typeof format === 'string' && format !== '' ? format : 'png'}`;
  return { type: 'image', source: { kind: 'data', mediaType, data: result } };
}

function logprobsOf(item: JsonRecord): TokenLogprob[] {
  return recordsIn(item['content']).flatMap((part) => decodeLogprobs(part['logprobs']));
}
