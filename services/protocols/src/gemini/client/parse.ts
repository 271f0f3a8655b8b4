import { z } from 'zod';
import type { FieldNote } from '../../field-note.ts';
import { note } from '../../field-note.ts';
import type { JsonObject } from '../../json/object.ts';
import type { CallLine } from '../../protocol.ts';
import { findMisfit, isFitting, MALFORMED, readJsonRequest } from '../../read-json-request.ts';
import { isTurnOver, type Stages } from '../../stages.ts';
import { type GeminiContent, type GeminiRequest, geminiRequestSchema, PART_KINDS } from '../schema.ts';
import { readSpellings, type Spelling } from './aliases.ts';

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
export function* decodeGeminiRequest(body: Buffer, call: CallLine): Stages<GeminiRequestResult> {
  const read = yield* readJsonRequest(body, anyBody, WITHIN);
  if (!read.ok) return read;
  const { value, spelling, duplicate } = readSpellings(read.request);
  yield;
  if (duplicate !== undefined) {
    return { ok: false, error: note(duplicate, 'given in camel case and in snake case; send only one') };
  }
  const misfit = yield* findMisfit(value, geminiRequestSchema);
  if (!isFitting<GeminiRequest>(value, misfit)) return { ok: false, error: spelled(misfit ?? MALFORMED, spelling) };
  const wrong = yield* wrongParts(value);
  if (wrong !== undefined) return { ok: false, error: note(spelling.path(wrong), 'a part holds only one of these') };
  return { ok: true, decoded: { object: read.object, request: value, spelling, call } };
}

/** What is wrong, with the field as the client spells it. */
function spelled({ path, message }: FieldNote, spelling: Spelling): FieldNote {
  const own = spelling.path(path);
  return { path: own, message: message.startsWith(path) ? own + message.slice(path.length) : message };
}

/** The second kind of the first part that is two things at once. */
function* wrongParts(request: GeminiRequest): Stages<string | undefined> {
  for (const [i, content] of request.contents.entries()) {
    if (isTurnOver(1 + (content.parts?.length ?? 0))) yield;
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
