import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { expect, it } from 'vitest';
import { fromRpcError } from './rpc-errors.ts';

const rpcError = (code: status, details: string): ServiceError =>
  Object.assign(new Error(details), { code, details, metadata: new Metadata() });

it.each([
  [
    status.INVALID_ARGUMENT,
    'caps.day_nanos: must be positive',
    'invalid_request',
    'caps.day: must be positive',
    'caps.day',
  ],
  [status.INVALID_ARGUMENT, 'page_token: must be a UUID', 'invalid_request', 'cursor: must be a UUID', 'cursor'],
  [status.INVALID_ARGUMENT, 'the account is closed', 'invalid_request', 'The account is closed.', null],
  [
    status.PERMISSION_DENIED,
    'discount_ppm: only an operator may change this',
    'not_allowed',
    'discount_percent: only an operator may change this',
    'discount_percent',
  ],
  [status.PERMISSION_DENIED, 'view-as is read-only', 'not_allowed', 'View-as is read-only.', null],
  [
    status.ALREADY_EXISTS,
    'idempotency_key: was used with different input',
    'conflict',
    'idempotency_key: was used with different input',
    'idempotency_key',
  ],
  [status.NOT_FOUND, 'no such key', 'not_found', 'No such key.', null],
])('%s %j', (code, details, apiCode, message, field) => {
  expect(fromRpcError(rpcError(code, details))).toMatchObject({ code: apiCode, message, field });
});
