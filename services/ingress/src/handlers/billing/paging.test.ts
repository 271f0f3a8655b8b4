import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../testing/error-message.ts';
import { parsePage } from './paging.ts';

const LEDGERS = Buffer.from('1767225600000.0190a0b0-0000-7000-8000-000000000000').toString('base64url');
const LIST = ['requests', 'account', ''];

describe('parsePage', () => {
  it('returns a cursor that continues the same list, also with another limit', () => {
    const next = parsePage({}, LIST).nextCursor(LEDGERS);
    expect(next).not.toBeNull();
    expect(parsePage({ cursor: next, limit: '7' }, LIST)).toMatchObject({ cursor: LEDGERS, limit: 7 });
    expect(parsePage({}, LIST).nextCursor('')).toBeNull();
    expect(parsePage({ cursor: '' }, LIST).cursor).toBe('');
  });

  it('rejects the cursor of another list, and an invalid one', () => {
    const cursor = parsePage({}, LIST).nextCursor(LEDGERS);
    const others = [
      ['deposits', 'account', ''],
      ['requests', 'other', ''],
      ['requests', '', 'account'],
      ['requests', 'account'],
    ];
    for (const list of others) {
      expect(messageOf(() => parsePage({ cursor }, list))).toMatch(/^400 cursor belongs to another list/);
    }
    for (const made of ['rubbish', 'a'.repeat(201), `${cursor} `, 'ä'.repeat(30)]) {
      expect(messageOf(() => parsePage({ cursor: made }, LIST))).toMatch(/^400 cursor is not a valid next_cursor/);
    }
  });
});
