import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at } from '@tollgate/test-support/gateway/json';
import { expect } from 'vitest';

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** Version 7 and the variant of RFC 9562. */
export const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** Any version and the variant of RFC 9562. */
export const VALID_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

export interface ExpectedError {
  status: number;
  type: string;
  /** Text or pattern in the message. */
  message?: string | RegExp;
  /** Additional fields of the protocol. */
  surface?: 'messages' | 'generative';
}

/** Checks every field of a model endpoint's error; `details` must be null. */
export function expectModelError(response: WireResponse, expected: ExpectedError): void {
  const { status, type } = expected;
  expect({ status: response.status, type: at(response.json, 'error', 'type'), text: response.text }).toMatchObject({
    status,
    type,
  });
  expect(response.json).toEqual({
    ...(expected.surface === 'messages' ? { type: 'error' } : {}),
    error: {
      message: expect.any(String),
      type,
      code: status,
      details: null,
      ...(expected.surface === 'generative' ? { status: expect.stringMatching(/^[A-Z_]+$/) } : {}),
    },
    trace_id: expect.stringMatching(VALID_UUID),
  });
  expectErrorHeaders(response, status);
  expect(response.headers['x-trace-id']).toBe(at(response.json, 'trace_id'));
  if (expected.message !== undefined) expectMessage(at(response.json, 'error', 'message'), expected.message);
}

/** Checks every field of a billing endpoint's error: `code` is a text; type and trace id are absent. */
export function expectBillingError(
  response: WireResponse,
  status: number,
  code: string,
  message?: string | RegExp,
): void {
  expect({ status: response.status, text: response.text }).toMatchObject({ status });
  expect(response.json).toEqual({ error: { code, message: expect.any(String) } });
  expectErrorHeaders(response, status);
  expect(response.headers['x-trace-id']).toMatch(VALID_UUID);
  if (message !== undefined) expectMessage(at(response.json, 'error', 'message'), message);
}

function expectErrorHeaders({ headers }: WireResponse, status: number): void {
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(headers['x-request-id']).toMatch(UUID_V7);
  expect(headers['x-should-retry']).toBe(status === 429 || status >= 500 ? undefined : 'false');
}

function expectMessage(message: unknown, expected: string | RegExp): void {
  if (typeof expected === 'string') expect(message).toContain(expected);
  else expect(message).toMatch(expected);
}
