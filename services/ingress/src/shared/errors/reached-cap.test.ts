import { describe, expect, it } from 'vitest';
import { CAP, DOLLAR, OWNER } from '../../../testing/cap-status.ts';
import { renderCeiling } from '../limits/ceilings.ts';
import { apiErrors } from './api-error.ts';

const SHOWN = renderCeiling(CAP, OWNER);

describe('the error of a reached cap', () => {
  it('has the cap beside the page where it is raised', () => {
    const rechargeUrl = 'https://console.example.com/raise';
    const shortage = { neededNanos: 2n * DOLLAR, affordableOutputTokens: undefined, rechargeUrl, status: 402 } as const;
    const error = apiErrors.capReached({ ...shortage, cap: CAP, owner: OWNER });
    expect(error.details).toEqual({ recharge_url: rechargeUrl, limit: SHOWN });
    expect(error.message).toContain('$1 left of its daily spending cap of $5');
  });

  it.each([
    ['p', "which is more than is left of the daily spending cap of the API key's project. Raise the cap, or"],
    ['s', 'and the service account nightly has $1 left of its daily spending cap of $5'],
    ['m', 'and the member dev@example.com has $1 left of its daily spending cap of $5'],
  ])('names what has the cap, and no figures of a project: %s', (nodeId, text) => {
    const nodes = [
      { scope: 'project', nodeId: 'p', name: 'secret' },
      { scope: 'service_account', nodeId: 's', name: 'nightly' },
      { scope: 'member', nodeId: 'm', name: 'dev@example.com' },
    ] as const;
    const rechargeUrl = 'https://console.example.com/raise';
    const shortage = { neededNanos: 2n * DOLLAR, affordableOutputTokens: undefined, rechargeUrl, status: 402 } as const;
    const error = apiErrors.capReached({ ...shortage, cap: { ...CAP, nodeId }, owner: { ...OWNER, nodes } });
    expect(error.message).toContain(text);
    expect(error.message).not.toContain('secret');
  });

  it('has the cap while open requests hold the rest of it', () => {
    const error = apiErrors.capHeld(CAP, OWNER, 1_000);
    expect(error).toMatchObject({ status: 429, details: { limit: SHOWN } });
    expect(error.message).toContain('daily spending cap');
  });
});
