import { expect } from 'vitest';
import type { Account } from './accounts.ts';
import type { Gateway } from './gateway.ts';
import type { WireResponse } from './http.ts';
import { at, listAt, textAt } from './json.ts';
import { nanos } from './money.ts';

/** A billing call with a bearer key. */
export function billing(gateway: Gateway, account: Account, path: string): Promise<WireResponse> {
  return gateway.send({ path: `/v1/billing/${path}`, headers: { authorization: `Bearer ${account.key}` } });
}

/** The record of a request, which must exist. */
export async function recordOf(gateway: Gateway, account: Account, requestId: unknown): Promise<unknown> {
  const response = await billing(gateway, account, `requests/${String(requestId)}`);
  expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
  return response.json;
}

/** A record's cost in nano-dollars. */
export function costOf(record: unknown): bigint {
  return nanos(textAt(record, 'cost'));
}

/** The account's balance in nano-dollars, from billing. */
export async function balanceOf(gateway: Gateway, account: Account): Promise<bigint> {
  const response = await billing(gateway, account, 'balance');
  return nanos(textAt(response.json, 'balance'));
}

/** A range around now, as query parameters. */
export function recently(): string {
  const now = Date.now();
  return `start=${new Date(now - 3_600_000).toISOString()}&end=${new Date(now + 60_000).toISOString()}`;
}

/** Every record of the account in the last hour, newest first. */
export async function allRecords(gateway: Gateway, account: Account): Promise<unknown[]> {
  const records: unknown[] = [];
  const range = recently();
  let cursor: unknown = '';
  do {
    const page = await billing(
      gateway,
      account,
      `requests?${range}&limit=1000&cursor=${encodeURIComponent(String(cursor))}`,
    );
    expect({ status: page.status, text: page.status === 200 ? '' : page.text }).toEqual({ status: 200, text: '' });
    records.push(...listAt(page.json, 'data'));
    cursor = at(page.json, 'next_cursor');
  } while (cursor !== null);
  return records;
}
