import { chatRequest, type Gateway, say, simulate, startGateway } from '@tollgate/test-support/gateway/gateway';
import { send } from '@tollgate/test-support/gateway/http';
import { emptiedAt, floodEvenly } from '@tollgate/test-support/load/limit-flood';
import { afterAll, beforeAll, expect, it } from 'vitest';

const PER_MINUTE = 1_200;
/** The refill of ten seconds. */
const BURST = PER_MINUTE / 6;
const FLOOD_MS = 15_000;
/** Ten times the limit, if the machine is fast enough. */
const PER_SECOND = (10 * PER_MINUTE) / 60;
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 5, ...simulate({ output_tokens: 1 }) };
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: 3 });
});
afterAll(() => gateway.stop());

it('a flood of ten times the limit over three ingresses gets exactly the limit and the burst', async () => {
  const { key } = await gateway.accounts.create(10_000_000_000n, { limits: { requestsPerMinute: BigInt(PER_MINUTE) } });
  const urls = gateway.stack.facts.base_urls;
  const judged = await floodEvenly(PER_SECOND, FLOOD_MS, async (index) => {
    const { status } = await send(urls[index % urls.length] ?? '', chatRequest(key, CALL));
    return { status, amount: status === 200 ? 1 : 0 };
  });
  expect(judged.length).toBeGreaterThan((0.3 * PER_SECOND * FLOOD_MS) / 1_000);
  expect(judged.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  const accepted = judged.filter(({ status }) => status === 200);

  // In any window, at most the burst and the refill were accepted.
  const byStart = accepted.toSorted((a, b) => a.sentAtMs - b.sentAtMs);
  const ends = accepted.map(({ heardAtMs }) => heardAtMs).toSorted((a, b) => a - b);
  for (let first = 0; first < byStart.length; first += 7) {
    const fromMs = byStart[first]?.sentAtMs ?? 0;
    for (let last = 0; last < ends.length; last += 7) {
      const toMs = ends[last] ?? 0;
      if (toMs <= fromMs) continue;
      const within = accepted.filter(({ sentAtMs, heardAtMs }) => sentAtMs >= fromMs && heardAtMs <= toMs).length;
      expect(within).toBeLessThanOrEqual(BURST + ((toMs - fromMs) * PER_MINUTE) / 60_000 + 1);
    }
  }

  // Once the bucket is empty, the accepted rate is the limit within 1 %, plus one at either end.
  const emptyAtMs = emptiedAt(judged);
  const overAtMs = Math.max(...judged.map(({ sentAtMs }) => sentAtMs));
  const expected = ((overAtMs - emptyAtMs) * PER_MINUTE) / 60_000;
  expect(expected).toBeGreaterThan(100);
  const surely = accepted.filter(({ sentAtMs, heardAtMs }) => sentAtMs >= emptyAtMs && heardAtMs <= overAtMs);
  const perhaps = accepted.filter(({ sentAtMs, heardAtMs }) => heardAtMs >= emptyAtMs && sentAtMs <= overAtMs);
  expect(surely.length).toBeLessThanOrEqual(expected * 1.01 + 2);
  expect(perhaps.length).toBeGreaterThanOrEqual(expected * 0.99 - 2);
});
