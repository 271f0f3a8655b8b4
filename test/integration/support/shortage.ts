import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { textAt } from '@tollgate/test-support/gateway/json';
import { nanos } from '@tollgate/test-support/gateway/money';
import { expect } from 'vitest';
import { VALID_UUID } from './errors.ts';

/** The contents of an error for lack of balance. */
export interface Shortage {
  neededNanos: bigint;
  balanceNanos: bigint;
  /** Output tokens that the balance affords. */
  affordableTokens: number;
}

/** Checks every field of a chat call's error for lack of balance, and parses its message. */
export function readShortage(response: WireResponse): Shortage {
  expect({ status: response.status, text: response.text }).toMatchObject({ status: 400 });
  expect(response.json).toEqual({
    error: {
      message: expect.any(String),
      type: 'insufficient_balance',
      code: 400,
      details: {
        recharge_url: expect.stringMatching(/^https?:\/\//),
        limit: expect.objectContaining({ id: expect.stringMatching(VALID_UUID), held: expect.any(String) }),
      },
    },
    trace_id: expect.stringMatching(VALID_UUID),
  });
  expect(response.headers['x-should-retry']).toBe('false');
  const message = textAt(response.json, 'error', 'message');
  const [needed, balance] = [...message.matchAll(/\$(\d+(?:\.\d+)?)/g)].map((match) => nanos(match[1] ?? ''));
  const tokens = /(\d+|no) output token/.exec(message)?.[1];
  if (needed === undefined || balance === undefined || tokens === undefined)
    throw new Error(`unexpected message: ${message}`);
  return { neededNanos: needed, balanceNanos: balance, affordableTokens: tokens === 'no' ? 0 : Number(tokens) };
}
