import { expect, it } from 'vitest';
import { type Confirmation, deletionSummary, waitingSummary } from './confirmations.ts';

const confirmed = (ingress: string, after_ms: number): Confirmation => ({ ingress, confirmed: true, after_ms });
const silent = (ingress: string): Confirmation => ({ ingress, confirmed: false, after_ms: null });

it('says on how many ingresses a key is dead, and when the last one confirmed', () => {
  expect(deletionSummary([confirmed('a', 12), confirmed('b', 140), confirmed('c', 9)])).toBe(
    'Dead on 3 of 3 ingresses after 140 ms.',
  );
  expect(deletionSummary([confirmed('a', 12)])).toBe('Dead on 1 of 1 ingress after 12 ms.');
});

it('names ingresses that are cut off', () => {
  expect(deletionSummary([confirmed('a', 12), silent('b')])).toMatch(
    /^Dead on 1 of 2 ingresses after 12 ms\. b is cut off/,
  );
  expect(deletionSummary([silent('a'), silent('b')])).toMatch(/^Dead on 0 of 2 ingresses\. a and b are cut off/);
});

it('says so if there is no ingress', () => {
  expect(deletionSummary([])).toContain('No ingress is connected');
});

it('names who is waited for', () => {
  expect(waitingSummary(undefined)).toBe('Waiting for every ingress to confirm.');
  expect(waitingSummary([confirmed('a', 1), silent('b'), silent('c'), silent('d')])).toContain('b, c and d');
  expect(waitingSummary([confirmed('a', 1)])).toBe('Every ingress has confirmed.');
});
