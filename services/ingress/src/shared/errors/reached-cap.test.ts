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

  it('has the cap while open requests hold the rest of it', () => {
    const error = apiErrors.capHeld(CAP, OWNER, 1_000);
    expect(error).toMatchObject({ status: 429, details: { limit: SHOWN } });
    expect(error.message).toContain('daily spending cap');
  });
});
