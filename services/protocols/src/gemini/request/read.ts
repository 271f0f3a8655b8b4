import { z } from 'zod';
import type { FieldNote } from '../../field-note.ts';
import { note } from '../../field-note.ts';
import { describeIssue } from '../../json/issue.ts';
import type { JsonObject } from '../../json/object.ts';
import type { JsonRecord } from '../../json/record.ts';
import type { CallLine } from '../../protocol.ts';
import { readJsonRequest } from '../../read-json-request.ts';
import { type GeminiContent, type GeminiRequest, geminiRequestSchema, PART_KINDS } from '../schema.ts';
import { readSpellings, type Spelling } from './spelling.ts';

/** A request that is well formed, with the text it was read from. */
export interface DecodedGeminiRequest {
  readonly object: JsonObject;
  /** In camel case, with lists. */
  readonly request: GeminiRequest;
  readonly spelling: Spelling;
  readonly call: CallLine;
}

export type GeminiRequestResult =
  | { readonly ok: true; readonly decoded: DecodedGeminiRequest }
  | { readonly ok: false; readonly error: FieldNote };

const anyBody = z.looseObject({});

/** The members that are edited in place, in both spellings. */
const WITHIN = ['generationConfig', 'generation_config'];

/** Reads a generateContent request: strict JSON without duplicate keys, and the types of all known fields. */
export function decodeGeminiRequest(body: Buffer, call: CallLine): GeminiRequestResult {
  const read = readJsonRequest(body, anyBody, WITHIN);
  if (!read.ok) return read;
  const { value, spelling, duplicate } = readSpellings(read.request);
  if (duplicate !== undefined) {
    return { ok: false, error: note(duplicate, 'given in camel case and in snake case; send only one') };
  }
  const parsed = geminiRequestSchema.safeParse(value);
  if (!conforms(value, parsed)) return { ok: false, error: describeFirst(parsed.error, value, spelling) };
  const wrong = wrongParts(value);
  if (wrong !== undefined) return { ok: false, error: note(spelling.path(wrong), 'a part holds only one of these') };
  return { ok: true, decoded: { object: read.object, request: value, spelling, call } };
}

function conforms(_value: JsonRecord, parsed: z.ZodSafeParseResult<GeminiRequest>): _value is GeminiRequest {
  return parsed.success;
}

function describeFirst(error: z.ZodError | undefined, value: JsonRecord, spelling: Spelling): FieldNote {
  const issue = error?.issues[0];
  if (issue === undefined) return { path: '', message: 'the request is malformed' };
  const { path, message } = describeIssue(issue, value);
  const spelled = spelling.path(path);
  return { path: spelled, message: message.startsWith(path) ? spelled + message.slice(path.length) : message };
}

/** The second kind of the first part that is two things at once. */
function wrongParts(request: GeminiRequest): string | undefined {
  for (const [i, content] of request.contents.entries()) {
    const wrong = wrongPart(content, `contents[${i}]`);
    if (wrong !== undefined) return wrong;
  }
  return request.systemInstruction ? wrongPart(request.systemInstruction, 'systemInstruction') : undefined;
}

function wrongPart(content: GeminiContent, path: string): string | undefined {
  for (const [i, part] of (content.parts ?? []).entries()) {
    let found = 0;
    for (const kind of PART_KINDS) {
      if (part[kind] !== undefined && part[kind] !== null && ++found > 1) return `${path}.parts[${i}].${kind}`;
    }
  }
  return undefined;
}
