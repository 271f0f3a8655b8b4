import type { z } from 'zod';
import type { JsonObject } from '../../json/object.ts';
import { isSet } from '../../json/record.ts';
import type { Stages } from '../../lists/stages.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';
import { parseJsonRequest } from '../../request/parse-json-request.ts';
import { countRequestSchema, type MessagesRequest, requestSchema } from '../shared/schema.ts';
import { isDescribedByClient } from './tool-kinds.ts';

/** A valid request, with the text it was parsed from. */
export interface ParsedRequest {
  readonly object: JsonObject;
  readonly request: MessagesRequest;
}

export type ParseResult =
  | { readonly ok: true; readonly parsed: ParsedRequest }
  | { readonly ok: false; readonly error: Diagnostic };

/** Parses a request: strict JSON without duplicate keys, with the types of all known fields checked. */
export function* parseRequest(body: Buffer): Stages<ParseResult> {
  return yield* parseWith(body, requestSchema);
}

/** The same for a counting call. */
export function* parseCountRequest(body: Buffer): Stages<ParseResult> {
  return yield* parseWith(body, countRequestSchema);
}

function* parseWith(body: Buffer, schema: z.ZodType<MessagesRequest>): Stages<ParseResult> {
  const result = yield* parseJsonRequest(body, schema, ['thinking', 'output_config', 'metadata']);
  if (!result.ok) return result;
  const { object, request } = result;
  const error = incompleteTool(request);
  return error === undefined ? { ok: true, parsed: { object, request } } : { ok: false, error };
}

/** Required members of client tools; Anthropic's own kinds have no schema in the request. */
function incompleteTool(request: MessagesRequest): Diagnostic | undefined {
  const { tools } = request;
  for (let i = 0; i < (tools?.length ?? 0); i++) {
    const tool = tools?.[i];
    if (tool === undefined || !isDescribedByClient(tool)) continue;
    if (!isSet(tool.name)) return missing(`tools[${i}].name`);
    if (!isSet(tool.input_schema)) return missing(`tools[${i}].input_schema`);
  }
  return undefined;
}

function missing(path: string): Diagnostic {
  return { path, message: `${path}: required, but missing` };
}
