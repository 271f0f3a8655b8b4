import { expect, test } from 'vitest';
import { roleLabel, rolesToGive } from './roles.ts';

test('admins give every role but owner', () => {
  expect(rolesToGive('admin').map(({ value }) => value)).toEqual(['admin', 'developer', 'billing']);
  expect(rolesToGive('owner').map(({ value }) => value)).toEqual(['owner', 'admin', 'developer', 'billing']);
  expect(rolesToGive('operator')).toEqual(rolesToGive('owner'));
});

test('roles have names', () => {
  expect([roleLabel('operator'), roleLabel('billing')]).toEqual(['Operator', 'Billing']);
});
