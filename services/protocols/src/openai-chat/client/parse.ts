import type { JsonObject } from '../../json/object.ts';
import { isSet } from '../../json/record.ts';
import type { Stages } from '../../lists/stages.ts';
import type { Diagnostic } from '../../request/diagnostics.ts';
import { type JsonRequestResult, parseJsonRequest } from '../../request/parse-json-request.ts';
import { type ChatRequest, requestSchema } from '../shared/schema.ts';
import { inOpenaiForm } from './mistral-form.ts';

/** A valid request, with the text it was parsed from. */
export interface ParsedRequest {
  readonly object: JsonObject;
  readonly request: ChatRequest;
  readonly model: string;
  readonly isStream: boolean;
  /** Whether the client asked for the usage chunk at the end of a stream. */
  readonly includeUsage: boolean;
  /** `max_completion_tokens`, else `max_tokens`; undefined if neither is set. */
  readonly outputLimit: number | undefined;
  /** `n`: choices generated for the one prompt. */
  readonly choices: number;
}

export type ParseResult =
  | { readonly ok: true; readonly parsed: ParsedRequest }
  | { readonly ok: false; readonly error: Diagnostic };

/**
 * Parses a chat completions request: strict JSON without duplicate keys, with the types of all known fields checked. Mistral's
 * form of it is read too.
 */
export function* parseRequest(body: Buffer): Stages<ParseResult> {
  const read = yield* readRequest(body);
  if (!read.ok) return read;
  const { object, request: value } = read;
  const combination = wrongCombination(value);
  if (combination !== undefined) return { ok: false, error: combination };
  return {
    ok: true,
    parsed: {
      object,
      request: value,
      model: value.model,
      isStream: value.stream ?? false,
      includeUsage: value.stream_options?.include_usage ?? false,
      outputLimit: value.max_completion_tokens ?? value.max_tokens ?? undefined,
      choices: value.n ?? 1,
    },
  };
}

function* readRequest(body: Buffer): Stages<JsonRequestResult<ChatRequest>> {
  const read = yield* parseJsonRequest(body, requestSchema, WITHIN);
  if (read.ok || !/^(tools|tool_choice|messages)\b/.test(read.error.path)) return read;
  const other = yield* inOpenaiForm(body);
  return other === undefined ? read : yield* parseJsonRequest(other, requestSchema, WITHIN);
}

const WITHIN = ['stream_options'];

/** More tools than any client declares. Schemas check lists in pieces, so they cannot limit their length. */
const MAX_TOOLS = 1_000;

/** Fields that are valid alone but not together, as at OpenAI. */
function wrongCombination(request: ChatRequest): Diagnostic | undefined {
  if ((request.tools?.length ?? 0) > MAX_TOOLS) {
    return { path: 'tools', message: `tools: expected at most ${MAX_TOOLS} elements` };
  }
  if (isSet(request.max_tokens) && isSet(request.max_completion_tokens)) {
    return { path: 'max_tokens', message: 'max_tokens: not allowed together with max_completion_tokens; set only one' };
  }
  const incomplete = request.tools?.findIndex(isIncomplete) ?? -1;
  if (incomplete >= 0) {
    const path = `tools[${incomplete}].${request.tools?.[incomplete]?.type}`;
    return { path, message: `${path}: required, but missing` };
  }
  if (isSet(request.top_logprobs) && request.logprobs !== true) {
    return { path: 'top_logprobs', message: 'top_logprobs: only allowed when logprobs is true' };
  }
  if (isSet(request.stream_options) && request.stream !== true) {
    return { path: 'stream_options', message: 'stream_options: only allowed when stream is true' };
  }
  return undefined;
}

/** A client's tool is described in the member named after its type. */
function isIncomplete(tool: NonNullable<ChatRequest['tools']>[number]): boolean {
  return (
    (tool.type === 'function' && tool.function === undefined) || (tool.type === 'custom' && tool.custom === undefined)
  );
}
