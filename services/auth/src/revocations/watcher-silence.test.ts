import { expect, it } from 'vitest';
import type { WatcherRow } from '../store/watchers.ts';
import { WatcherSilence } from './watcher-silence.ts';

const TRUST_MS = 5_000;
/** The trust and the margin for clocks that differ in speed. */
const WAIT_MS = TRUST_MS + 100;

const row = (heartbeat: string, { id = 'a', trustMs = 0 }: { id?: string; trustMs?: number } = {}): WatcherRow => ({
  watcher_id: id,
  heartbeat,
  trust_ms: trustMs,
  ingress_name: '',
});
/** Whether the one watcher of a read is silent. A read takes 10 ms. */
const isSilent = (silence: WatcherSilence, one: WatcherRow, fromMs: number) =>
  silence.judge({ rows: [one], fromMs, toMs: fromMs + 10 }).silent.length === 1;

it('holds a watcher silent once its row has stayed as it is for the time of trust, from the end of the first read', () => {
  const silence = new WatcherSilence(TRUST_MS);
  expect(isSilent(silence, row('1'), 0)).toBe(false);
  expect(isSilent(silence, row('1'), 10 + WAIT_MS - 1)).toBe(false);
  expect(isSilent(silence, row('1'), 10 + WAIT_MS)).toBe(true);
});

it('begins anew with each heartbeat, also where reads end in another order than they began', () => {
  const silence = new WatcherSilence(TRUST_MS);
  isSilent(silence, row('1'), 0);
  expect(isSilent(silence, row('2'), WAIT_MS * 2)).toBe(false);
  expect(isSilent(silence, row('1'), 50)).toBe(false);
  expect(isSilent(silence, row('2'), WAIT_MS * 3 + 10)).toBe(false);
  expect(isSilent(silence, row('2'), WAIT_MS * 4 + 20)).toBe(true);
});

it('waits for the longer of its own trust and the trust granted to the watcher', () => {
  const silence = new WatcherSilence(TRUST_MS);
  const longer = row('1', { trustMs: TRUST_MS * 2 });
  const shorter = row('1', { id: 'b', trustMs: 1_000 });
  const judge = (fromMs: number) => silence.judge({ rows: [longer, shorter], fromMs, toMs: fromMs }).silent;
  expect(judge(0)).toEqual([]);
  expect(judge(WAIT_MS - 1)).toEqual([]);
  expect(judge(WAIT_MS)).toEqual([shorter]);
  expect(judge(TRUST_MS + WAIT_MS - 1)).toEqual([shorter]);
  expect(judge(TRUST_MS + WAIT_MS)).toEqual([longer, shorter]);
});

it('knows nothing of a watcher that was removed', () => {
  const silence = new WatcherSilence(TRUST_MS);
  const [kept, gone] = [row('1'), row('1', { id: 'b' })];
  silence.judge({ rows: [kept, gone], fromMs: 0, toMs: 0 });
  silence.retain([kept]);
  expect(silence.judge({ rows: [kept, gone], fromMs: WAIT_MS, toMs: WAIT_MS })).toEqual({
    live: [gone],
    silent: [kept],
  });
});
