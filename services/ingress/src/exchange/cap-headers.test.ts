import { OutgoingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { CAP, OWNER } from '../../testing/cap-status.ts';
import type { CapStatus, CeilingOwner } from '../shared/limits/ceilings.ts';
import type { TollgateResponse } from '../shared/request/request-context.ts';
import { setCapHeaders } from './cap-headers.ts';

const NOON = Date.UTC(2026, 10, 23, 12);

/** @param limitLeft of a rate limit whose headers are set */
function headersOf(cap: CapStatus | undefined, limitLeft = 1, owner: CeilingOwner = OWNER): Record<string, unknown> {
  const message = new OutgoingMessage();
  const res = Object.assign(message, { locals: { context: { limitLeft } } }) as unknown as TollgateResponse;
  setCapHeaders(
    res,
    { nearestCap: (counts) => (cap !== undefined && counts(cap.nodeId) ? cap : undefined) },
    owner,
    NOON,
  );
  return { ...message.getHeaders() };
}

describe('the headers of caps', () => {
  it('report what is left of a cap, in millionths of a dollar', () => {
    expect(headersOf(CAP)).toEqual({
      'ratelimit-policy': '"key-day";q=5000000;qu="microdollar";w=86400',
      ratelimit: '"key-day";r=750000;t=43200',
    });
  });

  it('name the scope of a node above the key, and pass over projects', () => {
    const nodes = [{ scope: 'service_account', nodeId: 's', name: 'nightly' }] as const;
    expect(headersOf({ ...CAP, nodeId: 's' }, 1, { ...OWNER, nodes })).toMatchObject({
      ratelimit: '"service-account-day";r=750000;t=43200',
    });
    const above = [{ scope: 'project', nodeId: 'p', name: 'secret' }] as const;
    expect(headersOf({ ...CAP, nodeId: 'p' }, 1, { ...OWNER, nodes: above })).toEqual({});
  });

  it('have the length of the month', () => {
    expect(headersOf({ ...CAP, window: 'month', startMs: Date.UTC(2026, 10, 1) })).toEqual({
      'ratelimit-policy': '"key-month";q=5000000;qu="microdollar";w=2592000',
      ratelimit: '"key-month";r=750000;t=648000',
    });
  });

  it('have neither window nor reset for a total', () => {
    expect(headersOf({ ...CAP, window: 'total', startMs: 0 })).toEqual({
      'ratelimit-policy': '"key-total";q=5000000;qu="microdollar"',
      ratelimit: '"key-total";r=750000',
    });
  });

  it('fit into the integers of structured fields', () => {
    const huge = { ...CAP, limitNanos: 9_000_000_000_000_000_000n, leftNanos: 9_000_000_000_000_000_000n };
    expect(headersOf(huge)).toMatchObject({ ratelimit: expect.stringMatching(/;r=\d{1,15};/) });
  });

  it('are absent for a key without caps, and where a rate limit is nearer to its end', () => {
    expect(headersOf(undefined)).toEqual({});
    expect(headersOf(CAP, 0.1)).toEqual({});
    expect(headersOf(CAP, 0.2)).not.toEqual({});
  });
});
