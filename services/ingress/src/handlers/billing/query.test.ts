import { describe, expect, it } from 'vitest';
import { messageOf } from '../../../testing/error-message.ts';
import {
  commaSeparated,
  integerWithin,
  optionalOneOf,
  optionalTag,
  optionalText,
  parsePage,
  parseTraceId,
  parseUuid,
  rejectUnknownParameters,
} from './query.ts';

describe('parameters', () => {
  it('that a call does not take are rejected by name', () => {
    expect(messageOf(() => rejectUnknownParameters({ start: '1' }, ['start', 'end']))).toBe('accepted');
    expect(messageOf(() => rejectUnknownParameters({ modle: 'x' }, ['start', 'model']))).toBe(
      '400 modle is not a parameter of this call; it takes start, model.',
    );
    expect(messageOf(() => rejectUnknownParameters({ x: '' }, []))).toMatch(/x is not .* it takes none/);
    expect(messageOf(() => rejectUnknownParameters({ ['n'.repeat(5_000)]: '' }, [])).length).toBeLessThan(200);
  });

  it('must be given once and not be empty', () => {
    expect(optionalText({}, 'model')).toBeUndefined();
    expect(messageOf(() => optionalText({ model: ['a', 'b'] }, 'model'))).toMatch(/model is given more than once/);
    expect(messageOf(() => optionalText({ model: '' }, 'model'))).toMatch(/model is empty/);
    expect(messageOf(() => optionalText({ model: 'm'.repeat(501) }, 'model'))).toMatch(/model is longer than 500/);
  });

  it('that are integers have bounds', () => {
    expect(integerWithin({}, 'limit', 1, 1_000, 100)).toBe(100);
    expect(integerWithin({ limit: '1000' }, 'limit', 1, 1_000, 100)).toBe(1_000);
    for (const limit of ['0', '1001', '-1', '1.5', 'x', '1e2', '0x10', ' 5', '99999999999']) {
      expect(messageOf(() => integerWithin({ limit }, 'limit', 1, 1_000, 100))).toMatch(
        /limit must be an integer from 1 to 1000/,
      );
    }
  });

  it('that are words must be on a list', () => {
    expect(optionalOneOf({ status: 'failed' }, 'status', ['failed'])).toBe('failed');
    expect(messageOf(() => optionalOneOf({ status: 'Failed' }, 'status', ['failed', 'completed']))).toMatch(
      /status must be one of failed, completed/,
    );
    expect([...commaSeparated({ group_by: 'model, key,model' }, 'group_by', ['model', 'key'])]).toEqual([
      'model',
      'key',
    ]);
    for (const words of ['model,day', ',', 'model,']) {
      expect(messageOf(() => commaSeparated({ group_by: words }, 'group_by', ['model', 'key']))).toMatch(
        /group_by must be a comma-separated list of model and key/,
      );
    }
  });

  it('that are tags have a name and a value, which may be empty', () => {
    expect(optionalTag({}, 'tag')).toEqual({ name: '', value: '' });
    expect(optionalTag({ tag: 'team=search' }, 'tag')).toEqual({ name: 'team', value: 'search' });
    expect(optionalTag({ tag: 'org/cost:centre=a=b: c' }, 'tag')).toEqual({ name: 'org/cost:centre', value: 'a=b: c' });
    expect(optionalTag({ tag: 'team=' }, 'tag')).toEqual({ name: 'team', value: '' });
    for (const tag of ['team', '=search', '='])
      expect(messageOf(() => optionalTag({ tag }, 'tag'))).toMatch(/tag must be the name and the value of a tag/);
  });

  it('that are ids are case-insensitive', () => {
    expect(parseUuid('0190A0B0-0000-7000-8000-000000000000', 'request_id')).toBe(
      '0190a0b0-0000-7000-8000-000000000000',
    );
    expect(messageOf(() => parseUuid('0190a0b0', 'request_id'))).toMatch(/request_id is not a UUID/);
    const digits = '0190a0b0000070008000000000000000';
    expect(parseTraceId('0190A0B0-0000-7000-8000-000000000000', 'trace_id')).toBe(digits);
    expect(parseTraceId(digits.toUpperCase(), 'trace_id')).toBe(digits);
    for (const text of ['xyz', `${digits}0`, digits.slice(1), '0190a0b0-000070008000000000000000']) {
      expect(messageOf(() => parseTraceId(text, 'trace_id'))).toMatch(/trace_id is not a trace id/);
    }
  });
});

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
