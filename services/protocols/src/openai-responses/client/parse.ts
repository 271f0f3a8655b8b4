import type { FieldNote } from '../../field-note.ts';
import type { JsonObject } from '../../json/object.ts';
import { isSet } from '../../json/record.ts';
import { readJsonRequest } from '../../read-json-request.ts';
import type { Stages } from '../../stages.ts';
import { type ResponsesRequest, responsesRequestSchema } from '../schema.ts';
import { type InputItem, readItems } from './items.ts';

/** A request that is well formed, with the text it was read from. */
export interface DecodedRequest {
  readonly object: JsonObject;
  readonly request: ResponsesRequest;
  /** The items of `input`; none when it is a text. */
  readonly items: readonly InputItem[];
}

export type DecodedResult =
  | { readonly ok: true; readonly decoded: DecodedRequest }
  | { readonly ok: false; readonly error: FieldNote };

/** Reads a request to create a response: strict JSON without duplicate keys, and the types of all known fields. */
export function* readResponsesRequest(body: Buffer): Stages<DecodedResult> {
  const read = yield* readJsonRequest(body, responsesRequestSchema, []);
  if (!read.ok) return read;
  const { object, request } = read;
  const items = yield* readItems(Array.isArray(request.input) ? request.input : []);
  if (!items.ok) return items;
  const error = wrongCombination(request);
  if (error !== undefined) return { ok: false, error };
  return { ok: true, decoded: { object, request, items: items.items } };
}

/** More tools than any client declares. Schemas are shown lists in pieces, so they do not limit their lengths. */
const MAX_TOOLS = 1_000;

/** Fields that are each well formed and yet refused together or alone, as OpenAI does. */
function wrongCombination(request: ResponsesRequest): FieldNote | undefined {
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
