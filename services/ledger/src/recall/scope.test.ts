import { newId } from '@tollgate/common/ids';
import { expect, it } from 'vitest';
import { parseScope, type RecallScope, scopeText } from './scope.ts';

const accountId = newId();
const SCOPES: RecallScope[] = [
  { accountId, cap: undefined, suspended: false },
  { accountId, cap: undefined, suspended: true },
  { accountId, cap: { accountId, nodeId: newId(), period: 'month', startMs: 1_761_955_200_000 }, suspended: false },
  { accountId, cap: { accountId, nodeId: newId(), period: 'total', startMs: 0 }, suspended: false },
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
    `cap/${accountId}/x/total/0`,
    `cap/${accountId}/${key}/week/0`,
  ];
  for (const name of [...names, `cap/${accountId}/${key}/day/-1`]) expect(parseScope(name)).toBeUndefined();
});
