import { newId } from '@tollgate/common/ids';
import { CapPeriod } from '@tollgate/proto/ledger';
import { expect, it } from 'vitest';
import { parseScope, type RecallScope, scopeText } from './scope.ts';

const accountId = newId();
const SCOPES: RecallScope[] = [
  { kind: 'credit', accountId },
  { kind: 'suspended', accountId },
  { kind: 'cap', cap: { accountId, keyId: newId(), period: CapPeriod.MONTH, periodStartMs: 1_761_955_200_000n } },
  { kind: 'cap', cap: { accountId, keyId: newId(), period: CapPeriod.TOTAL, periodStartMs: 0n } },
];

it('a scope survives a round trip through its name', () => {
  for (const scope of SCOPES) expect(parseScope(scopeText(scope))).toEqual(scope);
  expect(new Set(SCOPES.map(scopeText)).size).toBe(SCOPES.length);
});

it('an invalid name gives no scope', () => {
  const key = newId();
  const names = [
    '',
    'credit',
    'credit/x',
    `debit/${accountId}`,
    `cap/${accountId}/x/1/0`,
    `cap/${accountId}/${key}/9/0`,
  ];
  for (const name of [...names, `cap/${accountId}/${key}/1/-1`]) expect(parseScope(name)).toBeUndefined();
});
