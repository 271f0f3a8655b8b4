import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from './record.ts';

const nanos = fc.option(fc.bigInt({ min: 0n, max: 2n ** 62n }), { nil: undefined });

describe('a record', () => {
  it('is read as it was written', () => {
    const record = fc.record({
      keyId: fc.uuid(),
      keyName: fc.string(),
      accountId: fc.uuid(),
      accountTag: fc.constant('abc123'),
      expiresAtMs: fc.nat(),
      allowedModels: fc.array(fc.string()),
      caps: fc.option(fc.record({ dayNanos: nanos, monthNanos: nanos, totalNanos: nanos }), { nil: undefined }),
      revision: fc.bigInt({ min: 1n, max: 1_000_000n }),
      discountPpm: fc.nat({ max: 1_000_000 }),
    });
    fc.assert(
      fc.property(record, (key) => {
        expect(decodeRecord(encodeRecord(key), 'abc123')).toEqual(key);
      }),
    );
  });

  it.each([
    '',
    'D',
    '{}',
    '[]',
    '[1,"k","n","a",0,[]]',
    '[3,"k","n","a",0,[],0,"1",0]',
    '[2,"k","n","a",0,[1],0,"1",0]',
    '[2,"k","n","a",0,[],[1,2,3],"1",0]',
    '[2,"k","n","a",0,[],["1",null],"1",0]',
    '[2,"k","n","a",0,[],0,1,0]',
    '[2,"k","n","a",0,[],0,"1",0',
    'null',
  ])('is not read from %j', (text) => {
    expect(decodeRecord(text, 'abc123')).toBeUndefined();
  });
});
