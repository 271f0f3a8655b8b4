import { newId } from '@tollgate/common/ids';
import { Charge } from '@tollgate/proto/ledger';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildCharge } from '../../testing/build-charge.ts';
import { settlementRecord } from './settlement-record.ts';

/** A charge as a journal holds it. */
const PAYLOAD =
  'CiQwMTk5YzBkZS03YTEwLTdmM2EtOWIxYy0yZjRmNWE2YjdjOGQSJDAxOTljMGQwLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMRokMDE5OWMwZDAt' +
  'MDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAyIiQwMTk5YzBkMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDMqCHJlc2VhcmNoMiA1YjhhYTVhMmQyYzg0' +
  'ZTMxOWMxYjBhMmY2ZDNiNGM1ZToPc2ltdWxhdGVkLXNtYWxsQglzaW11bGF0b3JKGXNpbXVsYXRlZC1zbWFsbEBzaW11bGF0b3JSC29wZW5haS1jaGF0Wgtv' +
  'cGVuYWktY2hhdGABaAFyBHN0b3B4kPTt8pszgAGcA4gB2gWiARMKBm91dHB1dBAJGICMjZ4CIJgqqgEKMjAyNi0wMS0wMbABkE64AZgq';
/** Its content hash, without caps and with those of a day and in total. Stored hashes must stay comparable. */
const HASH = 'd60241030fed522ce1b49ebde1a8a145';
const HASH_WITH_CAPS = 'ac66266d64c49168d855aab77d596851';

const owner = { accountId: newId(), sessionId: newId() };

describe('the content hash of a charge', () => {
  it('is stable across versions', () => {
    const payload = Buffer.from(PAYLOAD, 'base64');
    const charge = Charge.decode(payload);
    expect(Buffer.from(Charge.encode(charge).finish()).equals(payload)).toBe(true);
    expect(settlementRecord(charge)).toMatchObject({ problem: undefined, tags: undefined, contentHash: HASH });
    expect(charge).toMatchObject({ reportedUsage: '', httpStatus: 0, errorType: '', attempts: [] });
    expect(settlementRecord({ ...charge, caps: [1, 3] }).contentHash).toBe(HASH_WITH_CAPS);
  });

  it('is the same with and without ids of the client, which a ledger of an earlier version ignores', () => {
    const charge = Charge.decode(Buffer.from(PAYLOAD, 'base64'));
    const ids = { clientSessionId: 'session', agentId: 'agent', parentAgentId: 'parent' };
    expect(settlementRecord({ ...charge, ...ids })).toMatchObject({ problem: undefined, contentHash: HASH });
  });

  it('is the same with and without the failure, which a ledger of an earlier version ignores', () => {
    const charge = Charge.decode(Buffer.from(PAYLOAD, 'base64'));
    const attempts = [{ deployment: 'a', startedMs: 1, durationMs: 2, cause: 'timeout', providerStatus: 0 }];
    const failed = { ...charge, httpStatus: 504, errorType: 'internal_error', attempts };
    expect(settlementRecord(failed)).toMatchObject({ problem: undefined, contentHash: HASH });
  });

  it('differs for different tags, and not for their order', () => {
    const texts = fc.dictionary(fc.string({ maxLength: 20 }), fc.string({ maxLength: 20 }), {
      maxKeys: 16,
      noNullPrototype: true,
    });
    const charge = buildCharge(owner);
    const hashOf = (tags: Record<string, string>) => settlementRecord({ ...charge, tags }).contentHash;
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const same = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
        fc.pre(![one, other].some((tags) => JSON.stringify(tags).includes('\\u0000')));
        expect(hashOf(one) === hashOf(other)).toBe(same);
        expect(hashOf(Object.fromEntries(Object.entries(one).reverse()))).toBe(hashOf(one));
      }),
    );
  });
});

describe('the ids of a client', () => {
  it.each(['clientSessionId', 'agentId', 'parentAgentId'] as const)('%s has at most 100 characters', (field) => {
    const problem = (text: string) => settlementRecord(buildCharge({ ...owner, [field]: text })).problem;
    expect(problem('漢'.repeat(100))).toBeUndefined();
    expect(problem('x'.repeat(101))).toBe(`${field} is longer than 100 characters`);
    expect(problem('\0')).toBe(`${field} holds a NUL character`);
  });
});

describe('the rejected usage report', () => {
  const reported = (reportedUsage: string) => settlementRecord(buildCharge({ ...owner, reportedUsage })).problem;

  it.each(['', '{}', '{"input":-9,"output":1e+308}', `{"input":"${'✓'.repeat(488)}"}`])('%j is accepted', (text) => {
    expect(reported(text)).toBeUndefined();
  });

  it.each([
    ['longer than 500', `{"input":"${'x'.repeat(489)}"}`],
    ['control character', '{"input":"\0"}'],
    ['control character', '{\n}'],
    ['control character', '{"input":"\u0080"}'],
    ['not a JSON object', '{"input":9'],
    ['not a JSON object', '[9]'],
    ['not a JSON object', 'null'],
  ])('%s: rejected', (fault, text) => {
    expect(reported(text)).toContain(fault);
  });

  it('is no part of the content hash', () => {
    const charge = buildCharge(owner);
    const { contentHash } = settlementRecord(charge);
    expect(settlementRecord({ ...charge, reportedUsage: '{"input":-9}' }).contentHash).toBe(contentHash);
  });
});

describe('tags', () => {
  const tagged = (tags: Record<string, string>) => settlementRecord(buildCharge({ ...owner, tags })).problem;
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag ${index}`, 'x']));

  it('of a usual number and length are accepted', () => {
    expect(tagged(many(16))).toBeUndefined();
    expect(tagged({ team: 'a"b\\c', 'müll 🗑': '' })).toBeUndefined();
  });

  it.each([
    ['more than 16', many(17)],
    ['longer than 1000', { ['n'.repeat(1_001)]: '' }],
    ['longer than 1000', { team: 'v'.repeat(1_001) }],
    ['NUL', { team: 'a\0b' }],
  ])('%s are rejected', (fault, tags) => {
    expect(tagged(tags)).toContain(fault);
  });
});
