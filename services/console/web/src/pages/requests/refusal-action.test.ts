import { REFUSAL_REASONS } from '@tollgate/common/refusal-reasons';
import { expect, it } from 'vitest';
import { refusalAction } from './refusal-action.ts';

const ALL = { keys: true, caps: true, money: true };

it('leads to what makes the next request succeed', () => {
  expect(refusalAction('insufficient_balance', 'ci', ALL)).toEqual({
    label: 'Top up',
    target: 'top_up',
    section: null,
  });
  expect(refusalAction('cap_exceeded', 'ci', ALL)).toEqual({
    label: 'Raise the cap of ci',
    target: 'key',
    section: 'caps',
  });
  expect(refusalAction('key_deleted', 'ci', ALL)?.target).toBe('new_key');
  expect(refusalAction('key_off', 'ci', ALL)?.target).toBe('key');
});

it('leads nowhere that a person may not go', () => {
  const targets = REFUSAL_REASONS.map(
    (reason) => refusalAction(reason, 'ci', { ...ALL, keys: false, caps: false })?.target,
  );
  expect(targets).not.toContain('key');
  expect(targets).not.toContain('new_key');
  expect(refusalAction('insufficient_balance', 'ci', { ...ALL, money: false })).toBeNull();
  expect(refusalAction('cap_exceeded', 'ci', { ...ALL, caps: false })).toBeNull();
  expect(refusalAction('rate_limited', 'ci', { ...ALL, caps: false })?.target).toBe('key');
});

it('copes with reasons of a newer gateway', () => {
  expect(refusalAction('solar_flare', 'ci', ALL)).toBeNull();
});
