import { newId } from '@tollgate/common/ids';
import { expect, it } from 'vitest';
import { apiErrors } from '../errors/api-error.ts';
import { WAITERS_PER_KEY, YoungChargeWaits } from './young-charge.ts';

const HOUR_MS = 3_600_000;
const missing = () => Promise.reject(apiErrors.recordNotFound('record'));

it('waits for requests that may be under way, and for no others', () => {
  const waits = new YoungChargeWaits(HOUR_MS);
  const now = Date.now();
  expect(waits.waitFor(newId(), now)).toBeGreaterThan(0);
  expect(waits.waitFor(newId(), now + 2 * HOUR_MS)).toBe(0);
  expect(waits.waitFor(newId(), now - HOUR_MS)).toBe(0);
});

it('tells lookups that cannot wait any more to come again, not that there is nothing', async () => {
  const waits = new YoungChargeWaits(HOUR_MS);
  const { promise, resolve } = Promise.withResolvers<string>();
  const waiting = Array.from({ length: WAITERS_PER_KEY }, () => waits.run('key', 1_000, () => promise));
  await expect(waits.run('key', 1_000, missing)).rejects.toMatchObject({ status: 429, retryAfterMs: 1_000 });
  await expect(waits.run('key', 1_000, (waitMs) => Promise.resolve(waitMs))).resolves.toBe(0);
  await expect(waits.run('other', 1_000, missing)).rejects.toMatchObject({ status: 404 });
  resolve('charge');
  await Promise.all(waiting);
  await expect(waits.run('key', 1_000, missing)).rejects.toMatchObject({ status: 404 });
});

it('says of a request too old to be under way that it is not there', async () => {
  await expect(new YoungChargeWaits(HOUR_MS).run('key', 0, missing)).rejects.toMatchObject({ status: 404 });
});
