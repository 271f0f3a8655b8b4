import { describe, expect, it } from 'vitest';
import { messageOf } from '../../testing/error-message.ts';
import { oneOf, onlyParameters, single, someOf, traceId, uuid, wholeNumber } from './query.ts';

describe('parameters', () => {
  it('that a call does not take are refused by name', () => {
    expect(messageOf(() => onlyParameters({ start: '1' }, ['start', 'end']))).toBe('accepted');
    expect(messageOf(() => onlyParameters({ modle: 'x' }, ['start', 'model']))).toBe(
      '400 modle is not a parameter of this call; it takes start, model.',
    );
    expect(messageOf(() => onlyParameters({ x: '' }, []))).toMatch(/x is not .* it takes none/);
    expect(messageOf(() => onlyParameters({ ['n'.repeat(5_000)]: '' }, [])).length).toBeLessThan(200);
  });

  it('are given once, and not empty', () => {
    expect(single({}, 'model')).toBeUndefined();
    expect(messageOf(() => single({ model: ['a', 'b'] }, 'model'))).toMatch(/model is given more than once/);
    expect(messageOf(() => single({ model: '' }, 'model'))).toMatch(/model is empty/);
    expect(messageOf(() => single({ model: 'm'.repeat(501) }, 'model'))).toMatch(/model is longer than 500/);
  });

  it('that are whole numbers are bounded', () => {
    expect(wholeNumber({}, 'limit', 1, 1_000, 100)).toBe(100);
    expect(wholeNumber({ limit: '1000' }, 'limit', 1, 1_000, 100)).toBe(1_000);
    for (const limit of ['0', '1001', '-1', '1.5', 'x', '1e2', '0x10', ' 5', '99999999999']) {
      expect(messageOf(() => wholeNumber({ limit }, 'limit', 1, 1_000, 100))).toMatch(
        /limit must be a whole number from 1 to 1000/,
      );
    }
  });

  it('that are words are of a closed list', () => {
    expect(oneOf({ status: 'failed' }, 'status', ['failed'])).toBe('failed');
    expect(messageOf(() => oneOf({ status: 'Failed' }, 'status', ['failed', 'completed']))).toMatch(
      /status must be one of failed, completed/,
    );
    expect([...someOf({ group_by: 'model, key,model' }, 'group_by', ['model', 'key'])]).toEqual(['model', 'key']);
    for (const words of ['model,day', ',', 'model,']) {
      expect(messageOf(() => someOf({ group_by: words }, 'group_by', ['model', 'key']))).toMatch(
        /group_by may hold model and key/,
      );
    }
  });

  it('that are ids are taken in any case', () => {
    expect(uuid('0190A0B0-0000-7000-8000-000000000000', 'request_id')).toBe('0190a0b0-0000-7000-8000-000000000000');
    expect(messageOf(() => uuid('0190a0b0', 'request_id'))).toMatch(/request_id is not a UUID/);
    const digits = '0190a0b0000070008000000000000000';
    expect(traceId('0190A0B0-0000-7000-8000-000000000000', 'trace_id')).toBe(digits);
    expect(traceId(digits.toUpperCase(), 'trace_id')).toBe(digits);
    for (const text of ['xyz', `${digits}0`, digits.slice(1), '0190a0b0-000070008000000000000000']) {
      expect(messageOf(() => traceId(text, 'trace_id'))).toMatch(/trace_id is not a trace id/);
    }
  });
});
