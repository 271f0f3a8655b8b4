import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatRequest, type Gateway, say, simulate, startGateway } from './support/gateway.ts';
import { send } from './support/http.ts';

const PER_MINUTE = 1_200;
/** What flows in within ten seconds. */
const BURST = PER_MINUTE / 6;
const FLOOD_MS = 15_000;
const TICK_MS = 50;
/** Ten times the limit. */
const PER_TICK = (10 * PER_MINUTE * TICK_MS) / 60_000;
const CALL = { model: 'small', messages: say('Hi'), max_tokens: 5, ...simulate({ output_tokens: 1 }) };
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ ingresses: 3 });
});
afterAll(() => gateway.stop());

/** When a request was sent and its answer's end came: its limits were judged in between. */
interface Judged {
  sentAtMs: number;
  heardAtMs: number;
  status: number;
}

it('a flood of ten times the limit over three ingresses gets the limit and the burst, no more and no less', async () => {
  const { key } = await gateway.accounts.create(10_000_000_000n, { limits: { requestsPerMinute: BigInt(PER_MINUTE) } });
  const urls = gateway.stack.facts.base_urls;
  const startedAtMs = performance.now();
  const pending: Promise<Judged>[] = [];
  for (let sent = 0; performance.now() - startedAtMs < FLOOD_MS; ) {
    const due = Math.floor((performance.now() - startedAtMs) / TICK_MS + 1) * PER_TICK;
    for (; sent < due; sent++) {
      const sentAtMs = performance.now();
      const answer = send(urls[sent % urls.length] ?? '', chatRequest(key, CALL));
      pending.push(answer.then(({ status }) => ({ sentAtMs, heardAtMs: performance.now(), status })));
    }
    await delay(TICK_MS);
  }
  const judged = await Promise.all(pending);
  expect(judged.length).toBeGreaterThan(0.9 * PER_TICK * (FLOOD_MS / TICK_MS));
  expect(judged.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
  const accepted = judged.filter(({ status }) => status === 200);

  // However the window is laid, no more was accepted within it than the burst and what flowed in.
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

  // Once the bucket has been empty, what is accepted is the limit to within 1 %, and one at either end.
  const emptyAtMs = Math.min(...judged.filter(({ status }) => status === 429).map(({ heardAtMs }) => heardAtMs));
  const overAtMs = Math.max(...judged.map(({ sentAtMs }) => sentAtMs));
  const expected = ((overAtMs - emptyAtMs) * PER_MINUTE) / 60_000;
  expect(expected).toBeGreaterThan(200);
  const surely = accepted.filter(({ sentAtMs, heardAtMs }) => sentAtMs >= emptyAtMs && heardAtMs <= overAtMs);
  const perhaps = accepted.filter(({ sentAtMs, heardAtMs }) => heardAtMs >= emptyAtMs && sentAtMs <= overAtMs);
  expect(surely.length).toBeLessThanOrEqual(expected * 1.01 + 2);
  expect(perhaps.length).toBeGreaterThanOrEqual(expected * 0.99 - 2);
});
