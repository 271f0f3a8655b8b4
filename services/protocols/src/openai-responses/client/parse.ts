import type { JsonObject } from '../../json/object.ts';
import { isSet } from '../../json/record.ts';
import type { Stages } from '../../lists/stages.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';
import { parseJsonRequest } from '../../request/parse-json-request.ts';
import { type ResponsesRequest, requestSchema } from '../shared/schema.ts';
import { type InputItem, parseItems } from './items.ts';

/** A valid request, with the text it was parsed from. */
export interface ParsedRequest {
  readonly object: JsonObject;
  readonly request: ResponsesRequest;
  /** The items of `input`; none when it is a text. */
  readonly items: readonly InputItem[];
}

export type ParseResult =
  | { readonly ok: true; readonly parsed: ParsedRequest }
  | { readonly ok: false; readonly error: Diagnostic };

/** Parses a request to create a response: strict JSON without duplicate keys, with the types of all known fields checked. */
export function* parseRequest(body: Buffer): Stages<ParseResult> {
  const read = yield* parseJsonRequest(body, requestSchema, ['reasoning']);
  if (!read.ok) return read;
  const { object, request } = read;
  const items = yield* parseItems(Array.isArray(request.input) ? request.input : []);
  if (!items.ok) return items;
  const error = wrongCombination(request);
  if (error !== undefined) return { ok: false, error };
  return { ok: true, parsed: { object, request, items: items.items } };
}

/** More tools than any client declares. Schemas check lists in pieces, so they cannot limit their length. */
const MAX_TOOLS = 1_000;

/** Combinations of valid fields that OpenAI rejects. */
function wrongCombination(request: ResponsesRequest): Diagnostic | undefined {
  if ((request.tools?.length ?? 0) > MAX_TOOLS) {
    return { path: 'tools', message: `tools: expected at most ${MAX_TOOLS} elements` };
  }
  if (!isSet(request.input) && !isSet(request.prompt)) {
    return { path: 'input', message: 'input: required, but missing' };
  }
  if (isSet(request.stream_options) && request.stream !== true) {
    return { path: 'stream_options', message: 'stream_options: only allowed when stream is true' };
  }
  for (const [index, tool] of (request.tools ?? []).entries()) {
    if ((tool.type === 'function' || tool.type === 'custom') && !isSet(tool.name)) {
      return { path: `tools[${index}].name`, message: `tools[${index}].name: required, but missing` };
    }
  }
  return undefined;
}
