import { describe, expect, it } from 'vitest';
import { messageOf } from '../../testing/error-message.ts';
import { pageOf } from './paging.ts';

const LEDGERS = Buffer.from('1767225600000.0190a0b0-0000-7000-8000-000000000000').toString('base64url');
const LIST = ['requests', 'account', ''];

describe('pageOf', () => {
  it('hands out a cursor that leads on in the same list, also with another limit', () => {
    const next = pageOf({}, LIST).next(LEDGERS);
    expect(next).not.toBeNull();
    expect(pageOf({ cursor: next, limit: '7' }, LIST)).toMatchObject({ cursor: LEDGERS, limit: 7 });
    expect(pageOf({}, LIST).next('')).toBeNull();
    expect(pageOf({ cursor: '' }, LIST).cursor).toBe('');
  });

  it('takes no cursor of another list, and none that is made up', () => {
    const cursor = pageOf({}, LIST).next(LEDGERS);
    const others = [
      ['deposits', 'account', ''],
      ['requests', 'other', ''],
      ['requests', '', 'account'],
      ['requests', 'account'],
    ];
    for (const list of others) {
      expect(messageOf(() => pageOf({ cursor }, list))).toMatch(/^400 cursor belongs to another list/);
    }
    for (const made of ['rubbish', 'a'.repeat(201), `${cursor} `, 'ä'.repeat(30)]) {
      expect(messageOf(() => pageOf({ cursor: made }, LIST))).toMatch(/^400 cursor is not a next_cursor/);
    }
  });
});
