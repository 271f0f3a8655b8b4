import type { z } from 'zod';
import type { FieldNote } from '../../field-note.ts';
import type { JsonObject } from '../../json/object.ts';
import { isSet } from '../../json/record.ts';
import { readJsonRequest } from '../../read-json-request.ts';
import type { Stages } from '../../stages.ts';
import { countRequestSchema, type MessagesRequest, messagesRequestSchema } from '../schema.ts';
import { isDescribedByClient } from './tool-kinds.ts';

/** A request that is well formed, with the text it was read from. */
export interface ReadRequest {
  readonly object: JsonObject;
  readonly request: MessagesRequest;
}

export type ReadResult =
  | { readonly ok: true; readonly read: ReadRequest }
  | { readonly ok: false; readonly error: FieldNote };

/** Reads a request: strict JSON without duplicate keys, and the types of all known fields. */
export function* readMessagesRequest(body: Buffer): Stages<ReadResult> {
  return yield* readWith(body, messagesRequestSchema);
}

/** The same for a counting call. */
export function* readCountRequest(body: Buffer): Stages<ReadResult> {
  return yield* readWith(body, countRequestSchema);
}

function* readWith(body: Buffer, schema: z.ZodType<MessagesRequest>): Stages<ReadResult> {
  const read = yield* readJsonRequest(body, schema, ['thinking']);
  if (!read.ok) return read;
  const { object, request } = read;
  const error = incompleteTool(request);
  return error === undefined ? { ok: true, read: { object, request } } : { ok: false, error };
}

/** What a tool of the client's own cannot be without; Anthropic's own kinds have no schema in the request. */
function incompleteTool(request: MessagesRequest): FieldNote | undefined {
  const { tools } = request;
  for (let i = 0; i < (tools?.length ?? 0); i++) {
    const tool = tools?.[i];
    if (tool === undefined || !isDescribedByClient(tool)) continue;
    if (!isSet(tool.name)) return missing(`tools[${i}].name`);
    if (!isSet(tool.input_schema)) return missing(`tools[${i}].input_schema`);
  }
  return undefined;
}

function missing(path: string): FieldNote {
  return { path, message: `${path}: required, but missing` };
}
