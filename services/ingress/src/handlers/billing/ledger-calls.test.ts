import { newId } from '@tollgate/common/ids';
import { expect, it } from 'vitest';
import { apiErrors } from '../../shared/errors/api-error.ts';
import { MAX_WAITERS_PER_KEY, PendingChargeLookups } from './ledger-calls.ts';

const HOUR_MS = 3_600_000;
const missing = () => Promise.reject(apiErrors.recordNotFound('record'));

it('waits only for requests that may be open', () => {
  const waits = new PendingChargeLookups(HOUR_MS, () => undefined);
  const now = Date.now();
  expect(waits.waitMs(newId(), now)).toBeGreaterThan(0);
  expect(waits.waitMs(newId(), now + 2 * HOUR_MS)).toBe(0);
  expect(waits.waitMs(newId(), now - HOUR_MS)).toBe(0);
});

it('asks lookups that cannot wait to retry, instead of reporting a missing record', async () => {
  const waits = new PendingChargeLookups(HOUR_MS, () => undefined);
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = Array.from({ length: MAX_WAITERS_PER_KEY }, () => waits.run('key', 1_000, () => promise));
  await expect(waits.run('key', 1_000, missing)).rejects.toMatchObject({ status: 429, retryAfterMs: 1_000 });
  await expect(waits.run('key', 1_000, (waitMs) => Promise.resolve(waitMs))).resolves.toBe(0);
  await expect(waits.run('other', 1_000, missing)).rejects.toMatchObject({ status: 404 });
  resolve('charge');
  await Promise.all(waiting);
  await expect(waits.run('key', 1_000, missing)).rejects.toMatchObject({ status: 404 });
});

it('reports a missing record for a request that is too old to be open', async () => {
  await expect(new PendingChargeLookups(HOUR_MS, () => undefined).run('key', 0, missing)).rejects.toMatchObject({
    status: 404,
  });
});
