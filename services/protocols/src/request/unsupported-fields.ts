import type { ModelParameters } from '../interface/parameters.ts';
import { hasField, parseFieldPath, recordWithoutField, withoutField } from '../json/field-path.ts';
import { isRecord, type JsonRecord } from '../json/record.ts';
import type { MemberPath } from '../json/splice.ts';
import { type Adjustment, valueAt } from './adjustment.ts';
import { type Diagnostic, type Diagnostics, diagnostic } from './diagnostics.ts';

/** Values that are the same as none. */
const DEFAULTS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['n', 1],
  ['logprobs', false],
  ['top_logprobs', 0],
  ['parallel_tool_calls', true],
  ['presence_penalty', 0],
  ['frequency_penalty', 0],
  ['store', false],
  ['tool_choice', 'auto'],
  ['service_tier', 'auto'],
  ['truncation', 'disabled'],
]);

/** Fields without which the client would get something else than it asked for. */
const ESSENTIAL: ReadonlySet<string> = new Set([
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'tools',
  'functions',
  'audio',
  'modalities',
]);

const LEFT_OUT = "left out, since this model's provider does not take it";
const REJECTED = "this model's provider does not take this field, and the response would be another without it";

/** Leaves out the fields of a request of OpenAI's protocols that its provider does not take. */
export function leaveOutUnsupported(body: JsonRecord, { unsupported = [] }: ModelParameters): Adjustment[] {
  return unsupported.flatMap((field): Adjustment[] => {
    const path = memberPath(field);
    const value = path === undefined ? undefined : valueAt(body, path);
    if (path === undefined || value === undefined) return [];
    // The gateway itself asks for usage.
    const isSilent = isDefault(field, value) || path[0] === 'stream_options';
    return [{ path, value: undefined, message: isSilent ? undefined : LEFT_OUT }];
  });
}

/** Why a request cannot be sent to the provider: it does not take a field that changes the response. */
export function rejectionOf(body: JsonRecord, { unsupported = [] }: ModelParameters): Diagnostic | undefined {
  const field = unsupported.find((name) => {
    const value = valueAt(body, [name]);
    return ESSENTIAL.has(name) && value !== undefined && !isDefault(name, value);
  });
  return field === undefined ? undefined : diagnostic(field, REJECTED);
}

/** The same for a translated request, under the client's name of the field. */
export function rejectUnsupported(fields: JsonRecord, parameters: ModelParameters, diagnostics: Diagnostics): void {
  const rejected = rejectionOf(fields, parameters)?.path;
  if (rejected !== undefined) diagnostics.reject(diagnostics.places().get(rejected) ?? rejected, REJECTED);
}

/** Warnings for the unsupported fields within lists that a request has, such as `tools[].function.strict`. */
export function unsupportedWithinWarnings(body: JsonRecord, parameters: ModelParameters): Diagnostic[] {
  return unsupportedWithin(body, parameters).map((field) => diagnostic(field, LEFT_OUT));
}

/** The bytes of a request without them. */
export function bytesWithoutUnsupported(bytes: Buffer, body: JsonRecord, parameters: ModelParameters): Buffer {
  return unsupportedWithin(body, parameters).reduce((kept, field) => withoutField(kept, parseFieldPath(field)), bytes);
}

/** A translated request without them. */
export function withoutUnsupported(
  body: JsonRecord,
  parameters: ModelParameters,
  diagnostics: Diagnostics,
): JsonRecord {
  const fields = unsupportedWithin(body, parameters);
  for (const field of fields) diagnostics.warn(field, LEFT_OUT);
  return fields.reduce((kept: JsonRecord, field) => recordWithoutField(kept, parseFieldPath(field)), body);
}

function unsupportedWithin(body: JsonRecord, { unsupported = [] }: ModelParameters): readonly string[] {
  return unsupported.filter((field) => field.includes('[]') && hasField(body, parseFieldPath(field)));
}

function isDefault(name: string, value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (isRecord(value)) return Object.keys(value).length === 0 || value['type'] === 'text';
  return DEFAULTS.get(name) === value;
}

function memberPath(field: string): MemberPath | undefined {
  const [outer, inner, ...rest] = field.split('.');
  if (outer === undefined || rest.length > 0 || field.includes('[')) return undefined;
  return inner === undefined ? [outer] : [outer, inner];
}
