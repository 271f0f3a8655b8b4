import { describe, expect, it } from 'vitest';
import { CAP, DOLLAR, OWNER } from '../../../testing/cap-status.ts';
import { freeShare, renderCeiling } from './ceilings.ts';

const SHOWN = {
  scope: 'key',
  id: 'key',
  name: 'ci',
  window: 'day',
  amount: '5',
  spent: '4',
  held: '0.25',
  resets_at: '2026-11-24T00:00:00.000Z',
  currency: 'USD',
};

describe('a ceiling', () => {
  it('of a key shows its window, and what of it is spent and held', () => {
    expect(renderCeiling(CAP, OWNER)).toEqual(SHOWN);
    expect(renderCeiling({ ...CAP, window: 'total', startMs: 0 }, OWNER)).toMatchObject({
      window: 'total',
      resets_at: null,
    });
  });

  it('shows what is spent beyond a limit that was lowered', () => {
    const lowered = { ...CAP, limitNanos: 3n * DOLLAR, leftNanos: 0n, heldNanos: 0n };
    expect(renderCeiling(lowered, OWNER)).toMatchObject({ amount: '3', spent: '4', held: '0' });
  });

  it('of a project has no figures and no name, of what owns the key it has all', () => {
    const nodes = [
      { scope: 'project', nodeId: 'p', name: 'secret' },
      { scope: 'service_account', nodeId: 's', name: 'nightly' },
    ] as const;
    const owner = { ...OWNER, nodes };
    const { resets_at, window, currency } = SHOWN;
    const hidden = { name: null, amount: null, spent: null, held: null };
    expect(renderCeiling({ ...CAP, nodeId: 'p' }, owner)).toEqual({
      scope: 'project',
      id: 'p',
      window,
      resets_at,
      currency,
      ...hidden,
    });
    expect(renderCeiling({ ...CAP, nodeId: 's' }, owner)).toEqual({
      ...SHOWN,
      scope: 'service_account',
      id: 's',
      name: 'nightly',
    });
  });

  it('above a derived key has no figures and no name, whatever it is of; its own has all', () => {
    const nodes = [
      { scope: 'project', nodeId: 'p', name: 'secret' },
      { scope: 'member', nodeId: 'm', name: 'bo@example.com' },
      { scope: 'key', nodeId: 'parent', name: 'agent' },
    ] as const;
    const owner = { ...OWNER, nodes };
    const { resets_at, window, currency } = SHOWN;
    for (const { scope, nodeId: id } of nodes)
      expect(renderCeiling({ ...CAP, nodeId: id }, owner)).toEqual({
        ...{ scope, id, window, resets_at, currency },
        ...{ name: null, amount: null, spent: null, held: null },
      });
    expect(renderCeiling(CAP, owner)).toEqual(SHOWN);
  });

  it('that is the balance has no name, no window, and nothing spent of it', () => {
    const balance = { window: null, leftNanos: 2n * DOLLAR, heldNanos: DOLLAR } as const;
    expect(renderCeiling(balance, OWNER)).toEqual({
      scope: 'account',
      id: 'account',
      name: null,
      window: null,
      amount: '2',
      spent: null,
      held: '1',
      resets_at: null,
      currency: 'USD',
    });
  });

  it('of a key is free as far as it is neither spent nor held', () => {
    expect(freeShare(CAP)).toBe(0.15);
    expect(freeShare({ ...CAP, limitNanos: 0n, leftNanos: 0n, heldNanos: 0n })).toBe(0);
  });
});
