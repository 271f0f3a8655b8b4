import type { z } from 'zod';
import type { FieldNote } from '../field-note.ts';
import { describeIssue } from '../json/issue.ts';
import type { JsonObject } from '../json/object.ts';
import { scanObject } from '../json/scan.ts';
import { type ChatRequest, chatRequestSchema } from './schema.ts';

/** Deepest nesting of a request body. JSON Schemas of tools are what nests most. */
export const MAX_REQUEST_DEPTH = 64;

/**
 * Most JSON values of a request body, keys not counted. The longest conversations have some tens of thousands; without a
 * limit a body of a few bytes a value would keep the process from all others for seconds.
 */
export const MAX_REQUEST_VALUES = 200_000;

const LIMITS = {
  maxDepth: MAX_REQUEST_DEPTH,
  maxValues: MAX_REQUEST_VALUES,
  uniqueKeys: true,
  within: ['stream_options'],
};

/** A request that is well formed, with the text it was read from. */
export interface DecodedChatRequest {
  readonly object: JsonObject;
  readonly request: ChatRequest;
  readonly model: string;
  readonly isStream: boolean;
  /** Whether the client asked for the usage chunk at the end of a stream. */
  readonly includeUsage: boolean;
  /** `max_completion_tokens`, else `max_tokens`; undefined when neither is set. */
  readonly outputLimit: number | undefined;
  /** `n`: choices generated for the one prompt. */
  readonly choices: number;
}

export type ChatRequestResult =
  | { readonly ok: true; readonly decoded: DecodedChatRequest }
  | { readonly ok: false; readonly error: FieldNote };

/** Reads a chat-completions request: strict JSON without duplicate keys, and the types of all known fields. */
export function decodeChatRequest(body: Buffer): ChatRequestResult {
  const scanned = scanObject(body, LIMITS);
  if (!scanned.ok) return { ok: false, error: { path: scanned.error.path, message: scanned.error.message } };
  const value: unknown = JSON.parse(body.toString('utf8'));
  const parsed = chatRequestSchema.safeParse(value);
  if (!conforms(value, parsed)) return { ok: false, error: describeFirst(parsed.error, value) };
  const combination = wrongCombination(value);
  if (combination !== undefined) return { ok: false, error: combination };
  return {
    ok: true,
    decoded: {
      object: scanned.object,
      request: value,
      model: value.model,
      isStream: value.stream ?? false,
      includeUsage: value.stream_options?.include_usage ?? false,
      outputLimit: value.max_completion_tokens ?? value.max_tokens ?? undefined,
      choices: value.n ?? 1,
    },
  };
}

/**
 * The schema changes nothing, so what it accepts is a request as it is. The schema's own copy would lack members named
 * `__proto__`, and what is sent upstream must be what was judged.
 */
function conforms(_value: unknown, parsed: z.ZodSafeParseResult<ChatRequest>): _value is ChatRequest {
  return parsed.success;
}

function describeFirst(error: z.ZodError | undefined, value: unknown): FieldNote {
  const issue = error?.issues[0];
  return issue === undefined ? { path: '', message: 'the request is malformed' } : describeIssue(issue, value);
}

/** Fields that are each well formed and yet refused together, as OpenAI does. */
function wrongCombination(request: ChatRequest): FieldNote | undefined {
  if (isSet(request.max_tokens) && isSet(request.max_completion_tokens)) {
    return { path: 'max_tokens', message: 'max_tokens: not allowed together with max_completion_tokens; set only one' };
  }
  const incomplete = request.tools?.findIndex(isIncomplete) ?? -1;
  if (incomplete >= 0) {
    const path = `tools[${incomplete}].${request.tools?.[incomplete]?.type}`;
    return { path, message: `${path}: required, but missing` };
  }
  if (isSet(request.top_logprobs) && request.logprobs !== true) {
    return { path: 'top_logprobs', message: 'top_logprobs: needs logprobs to be true' };
  }
  if (isSet(request.stream_options) && request.stream !== true) {
    return { path: 'stream_options', message: 'stream_options: only allowed when stream is true' };
  }
  return undefined;
}

/** A tool of the client's is described by a member named like its type. */
function isIncomplete(tool: NonNullable<ChatRequest['tools']>[number]): boolean {
  return (
    (tool.type === 'function' && tool.function === undefined) || (tool.type === 'custom' && tool.custom === undefined)
  );
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}
