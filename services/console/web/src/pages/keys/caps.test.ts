import { expect, it } from 'vitest';
import { type CapUsage, capSentence, reachedCap, shareOfCap, tightestCap } from './caps.ts';

const cap = (period: CapUsage['period'], limit: string, spent: string, held: string, left: string): CapUsage => ({
  period,
  limit,
  spent,
  held,
  left,
  reached: left === '0',
  resets_at: null,
  set_by: 'own',
  reached_at: null,
});

it('describes a cap exactly', () => {
  expect(capSentence(cap('month', '25', '3.2', '0.1', '21.7'))).toBe(
    '$3.200000000 of $25.000000000 spent this month, $0.100000000 held, $21.700000000 left.',
  );
  expect(capSentence(cap('day', '1', '0.5', '0', '0.5'))).not.toContain('held');
  expect(capSentence({ ...cap('day', '1', '0', '0', '1'), set_by: 'project' })).toMatch(
    / left\. Default of the project\.$/,
  );
});

it('chooses the cap with the smallest part left', () => {
  const month = cap('month', '100', '50', '0', '50');
  const day = cap('day', '10', '9', '0', '1');
  expect(tightestCap([month, day])).toBe(day);
  expect(tightestCap([month, cap('total', '0', '0', '0', '0')])?.period).toBe('total');
  expect(tightestCap([])).toBeUndefined();
});

it('shows a cap that refuses requests before one with less left, and as full', () => {
  const refusing = { ...cap('day', '10', '9', '0', '1'), reached: true };
  const month = cap('month', '100', '95', '0', '5');
  expect(tightestCap([refusing, month])).toBe(refusing);
  expect(reachedCap([refusing, month])).toBe(refusing);
  expect(shareOfCap([refusing, month])).toBe(1);
  expect(shareOfCap([month])).toBeCloseTo(0.95);
  expect(shareOfCap([])).toBeNull();
  expect(reachedCap([month])).toBeUndefined();
});
