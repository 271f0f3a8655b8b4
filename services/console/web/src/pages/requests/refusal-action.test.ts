import { REFUSAL_REASONS } from '@tollgate/common/refusal-reasons';
import { expect, it } from 'vitest';
import { refusalAction } from './refusal-action.ts';

const ALL = { keys: true, caps: true, money: true };

it('leads to what makes the next request succeed', () => {
  expect(refusalAction('insufficient_balance', 'ci', null, ALL)).toEqual({
    label: 'Top up',
    target: 'top_up',
    section: null,
  });
  const raise = { label: 'Raise the cap of ci', target: 'key', section: 'caps' };
  expect(refusalAction('cap_exceeded', 'ci', null, ALL)).toEqual(raise);
  const limit = { scope: 'key', id: 'k', name: 'ci', window: 'day', project_id: null };
  expect(refusalAction('cap_exceeded', 'ci', limit, ALL)).toEqual(raise);
  const above = { ...limit, scope: 'service_account', name: 'nightly', project_id: 'p' };
  expect(refusalAction('cap_held_by_open_requests', 'ci', above, ALL)).toEqual({
    label: 'Raise the cap of nightly',
    target: 'project',
    section: 'caps',
  });
  const session = { ...limit, scope: 'session', name: 'run' };
  expect(refusalAction('cap_exceeded', 'ci', session, ALL)).toMatchObject({ target: 'key', section: null });
  expect(refusalAction('key_deleted', 'ci', null, ALL)?.target).toBe('new_key');
  expect(refusalAction('key_off', 'ci', null, ALL)?.target).toBe('key');
});

it('leads nowhere that a person may not go', () => {
  const targets = REFUSAL_REASONS.map(
    (reason) => refusalAction(reason, 'ci', null, { ...ALL, keys: false, caps: false })?.target,
  );
  expect(targets).not.toContain('key');
  expect(targets).not.toContain('new_key');
  expect(refusalAction('insufficient_balance', 'ci', null, { ...ALL, money: false })).toBeNull();
  expect(refusalAction('cap_exceeded', 'ci', null, { ...ALL, caps: false })).toBeNull();
  const limit = { scope: 'project', id: 'p', name: 'Team', window: 'month', project_id: 'p' };
  expect(refusalAction('cap_exceeded', 'ci', limit, { ...ALL, caps: false })).toBeNull();
  expect(refusalAction('rate_limited', 'ci', null, { ...ALL, caps: false })?.target).toBe('key');
});

it('copes with reasons of a newer gateway', () => {
  expect(refusalAction('solar_flare', 'ci', null, ALL)).toBeNull();
});
