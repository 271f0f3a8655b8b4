import { expect, test } from 'vitest';
import { initials, nameOf } from './person.ts';

const email = 'rosa.brandt@example.com';

test('initials are those of the first and last name', () => {
  expect(initials({ name: 'Rosa Maria Brandt', email })).toBe('RB');
  expect(initials({ name: ' rosa ', email })).toBe('R');
  expect(initials({ name: 'Ærø Ølgaard', email })).toBe('ÆØ');
});

test('without a name they come from the e-mail address', () => {
  expect(initials({ name: '', email })).toBe('RB');
  expect(initials({ name: ' ', email: 'ops@example.com' })).toBe('O');
  expect(initials({ name: '', email: '_x_@example.com' })).toBe('X');
  expect(nameOf({ name: '', email })).toBe(email);
});
