import { z } from 'zod';
import type { PathParameters } from '../../interface/protocol.ts';
import type { JsonObject } from '../../json/object.ts';
import { isTurnOver, type Stages } from '../../lists/stages.ts';
import { type Diagnostic, diagnostic } from '../../request/diagnostics.ts';
import { findMismatch, MALFORMED, matchesSchema, parseJsonRequest } from '../../request/parse-json-request.ts';
import { type GeminiContent, type GeminiRequest, PART_KINDS, requestSchema } from '../shared/schema.ts';
import { type FieldAliases, resolveAliases } from './aliases.ts';

/** A valid request, with the text it was parsed from. */
export interface ParsedRequest {
  readonly object: JsonObject;
  /** In camel case, with lists. */
  readonly request: GeminiRequest;
  readonly aliases: FieldAliases;
  readonly path: PathParameters;
}

export type ParseResult =
  | { readonly ok: true; readonly parsed: ParsedRequest }
  | { readonly ok: false; readonly error: Diagnostic };

const anyBody = z.looseObject({});

/** The members that are edited in place, under both names. */
const WITHIN = ['generationConfig', 'generation_config'];

/** Parses a generateContent request: strict JSON without duplicate keys, with the types of all known fields checked. */
export function* parseRequest(body: Buffer, path: PathParameters): Stages<ParseResult> {
  const read = yield* parseJsonRequest(body, anyBody, WITHIN);
  if (!read.ok) return read;
  const { value, aliases, duplicate } = resolveAliases(read.request);
  yield;
  if (duplicate !== undefined) {
    return { ok: false, error: diagnostic(duplicate, 'given in camel case and in snake case; send only one') };
  }
  const mismatch = yield* findMismatch(value, requestSchema);
  if (!matchesSchema<GeminiRequest>(value, mismatch))
    return { ok: false, error: withAlias(mismatch ?? MALFORMED, aliases) };
  const wrong = yield* wrongParts(value);
  if (wrong !== undefined)
    return { ok: false, error: diagnostic(aliases.path(wrong), 'a part can have only one of its kinds') };
  return { ok: true, parsed: { object: read.object, request: value, aliases, path } };
}

/** The diagnostic with the field as the client wrote it. */
function withAlias({ path, message }: Diagnostic, aliases: FieldAliases): Diagnostic {
  const own = aliases.path(path);
  return { path: own, message: message.startsWith(path) ? own + message.slice(path.length) : message };
}

/** The second kind of the first part that has two. */
function* wrongParts(request: GeminiRequest): Stages<string | undefined> {
  for (const [i, content] of request.contents.entries()) {
    if (isTurnOver(1 + (content.parts?.length ?? 0))) yield;
    const wrong = wrongPart(content, `contents[${i}]`);
    if (wrong !== undefined) return wrong;
  }
  return request.systemInstruction ? wrongPart(request.systemInstruction, 'systemInstruction') : undefined;
}

function wrongPart(content: Pick<GeminiContent, 'parts'>, path: string): string | undefined {
  for (const [i, part] of (content.parts ?? []).entries()) {
    let found = 0;
    for (const kind of PART_KINDS) {
      if (part[kind] !== undefined && part[kind] !== null && ++found > 1) return `${path}.parts[${i}].${kind}`;
    }
  }
  return undefined;
}
