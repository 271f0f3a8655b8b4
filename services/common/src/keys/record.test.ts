import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from './record.ts';

describe('a record', () => {
  it('is read as it was written', () => {
    const record = fc.record({
      keyId: fc.uuid(),
      keyName: fc.string(),
      accountId: fc.uuid(),
      accountTag: fc.constant('abc123'),
      expiresAtMs: fc.nat(),
      allowedModels: fc.array(fc.string()),
    });
    fc.assert(
      fc.property(record, (key) => {
        expect(decodeRecord(encodeRecord(key), 'abc123')).toEqual(key);
      }),
    );
  });

  it.each(['', 'D', '{}', '[]', '[2,"k","n","a",0,[]]', '[1,"k","n","a",0,[1]]', '[1,"k","n","a",0,[]', 'null'])(
    'is not read from %j',
    (text) => {
      expect(decodeRecord(text, 'abc123')).toBeUndefined();
    },
  );
});
