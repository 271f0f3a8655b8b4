import { checkRequest } from '@tollgate/common/descriptors/check';
import { toJson } from '@tollgate/common/descriptors/json';
import { FieldProblem } from '@tollgate/common/descriptors/problem';
import { readFields } from '@tollgate/common/descriptors/read-json';
import { messageNamed } from '@tollgate/common/descriptors/registry';
import { CreateDerivedKeyRequest, type CreateDerivedKeyResponse } from '@tollgate/proto/auth';
import { apiErrors } from '../../shared/errors/api-error.ts';
import type { KeyOwner } from '../../shared/request/request-context.ts';

const MAX_BODY_BYTES = 65_536;

const REQUEST = messageNamed('tollgate.auth.v1.CreateDerivedKeyRequest');
const RESPONSE = messageNamed('tollgate.auth.v1.CreateDerivedKeyResponse');
const BODY = REQUEST.fields.filter(({ name }) => name !== 'account_id' && name !== 'parent_key_id');

/** Objects that take known fields alone: a misspelt cap would limit nothing. */
const CLOSED: readonly (readonly [string, readonly string[]])[] = [
  ['caps', ['day', 'week', 'month', 'total']],
  ['limits', ['requests_per_minute', 'tokens_per_minute', 'open_requests']],
];

/**
 * Reads the body of a request for a derived key.
 *
 * @throws ApiError that names the field
 */
export function readDerivedKey(
  body: Buffer,
  { accountId, keyId: parentKeyId }: Pick<KeyOwner, 'accountId' | 'keyId'>,
  nowMs: number,
): CreateDerivedKeyRequest {
  if (body.length > MAX_BODY_BYTES) throw apiErrors.invalidRequest(`The body is larger than ${MAX_BODY_BYTES} bytes.`);
  const json = parse(body);
  try {
    for (const [name, known] of CLOSED) requireKnown(name, known, json);
    const request = { ...CreateDerivedKeyRequest.fromPartial({ accountId, parentKeyId }), ...readFields(BODY, json) };
    checkRequest(REQUEST, request, nowMs);
    return request;
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    throw apiErrors.invalidField(`${error.field}: ${error.message}`);
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw apiErrors.invalidRequest('The body must be a JSON object.');
  }
}

function requireKnown(name: string, known: readonly string[], json: unknown): void {
  const object: unknown = (json as Record<string, unknown> | null)?.[name];
  if (typeof object !== 'object' || object === null) return;
  const unknown = Object.keys(object).find((each) => !known.includes(each));
  if (unknown !== undefined) throw new FieldProblem(`${name}.${unknown}`, 'unknown');
}

/** The key as the management API shows one, with its value. */
export function renderDerivedKey(response: CreateDerivedKeyResponse): object {
  return toJson(RESPONSE, response) as object;
}
