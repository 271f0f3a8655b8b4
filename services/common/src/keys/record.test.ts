import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GRANT_PERIODS } from './grants.ts';
import { NODE_SCOPES } from './limits.ts';
import { decodeRecord, encodeRecord } from './record.ts';

const nanos = fc.option(fc.bigInt({ min: 0n, max: 2n ** 62n }), { nil: undefined });

const caps = fc.option(fc.record({ dayNanos: nanos, weekNanos: nanos, monthNanos: nanos, totalNanos: nanos }), {
  nil: undefined,
});
const limit = fc.option(fc.integer({ min: 1, max: 1_000_000_000 }), { nil: undefined });
const limits = fc.option(fc.record({ requestsPerMinute: limit, tokensPerMinute: limit, openRequests: limit }), {
  nil: undefined,
});
const grants = fc.array(
  fc.record({
    period: fc.constantFrom(...GRANT_PERIODS),
    periodStartMs: fc.nat(),
    sessionNodeId: fc.string(),
    limitNanos: fc.bigInt({ min: 0n, max: 2n ** 62n }),
    revision: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  }),
);

describe('a record', () => {
  it('is read as it was written', () => {
    const record = fc.record({
      keyId: fc.uuid(),
      keyName: fc.string(),
      accountId: fc.uuid(),
      accountTag: fc.constant('abc123'),
      expiresAtMs: fc.nat(),
      allowedModels: fc.array(fc.string()),
      caps,
      revision: fc.bigInt({ min: 1n, max: 1_000_000n }),
      discountPpm: fc.nat({ max: 1_000_000 }),
      accountRevision: fc.bigInt({ min: 1n, max: 2n ** 62n }),
      limits,
      accountLimits: limits,
      priceRules: fc.array(
        fc.record({ model: fc.string(), markupPpm: fc.integer({ min: -1_000_000, max: 10_000_000 }) }),
      ),
      tags: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true }),
      nodes: fc.array(
        fc.record({
          scope: fc.constantFrom(...NODE_SCOPES),
          nodeId: fc.uuid(),
          name: fc.string(),
          caps,
          limits,
          allowedModels: fc.array(fc.string()),
          revision: fc.bigInt({ min: 1n, max: 2n ** 62n }),
          grants,
        }),
      ),
      sessionNanos: nanos,
      grants,
    });
    fc.assert(
      fc.property(record, (key) => {
        expect(decodeRecord(encodeRecord({ key, readAtMs: 17 }), 'abc123')).toEqual({ key, readAtMs: 17 });
      }),
    );
  });

  it.each([
    '',
    'D',
    '{}',
    '[]',
    '[2,"k","n","a",0,[],0,"1",0]',
    '[4,17,"k","n","a",0,[],0,"1",0,"1",0,0,{}]',
    '[7,"17","k","n","a",0,[],0,"1",0,"1",0,0,{},0,[],0]',
    '[7,17,"k","n","a",0,[1],0,"1",0,"1",0,0,{},0,[],0]',
    '[7,17,"k","n","a",0,[],[1,2,3,4],"1",0,"1",0,0,{},0,[],0]',
    '[7,17,"k","n","a",0,[],["1",null,null],"1",0,"1",0,0,{},0,[],0]',
    '[7,17,"k","n","a",0,[],0,1,0,"1",0,0,{},0,[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,1,0,0,{},0,[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",[0,null,null],0,{},0,[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,["1",null,null],{},0,[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,[1,null],{},0,[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{"team":1},0,[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,[],0,[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},1,[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},[["*"]],[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},[["*",0.5]],[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},[[1,5]],[],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{}',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0,0,0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0,[0],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0,[[4,"p","n",[],0,0,"1"]],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0,[[0,"p","n",[],1,0,"1"]],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0,[[0,"p","n",[],0,0,1]],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0,[[0,"p","n",[],0,0]],0]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0,[],5]',
    '[7,17,"k","n","a",0,[],0,"1",0,"1",0,0,{},0,[]]',
    'null',
  ])('is not read from %j', (text) => {
    expect(decodeRecord(text, 'abc123')).toBeUndefined();
  });
});
