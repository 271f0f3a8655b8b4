import { expect, it } from 'vitest';
import { PROTOCOL_FAULTS } from './mutations.ts';
import { NOTICED } from './noticed.ts';

// Runs after all other files.
it.each(PROTOCOL_FAULTS)('a test notices: $name', ({ name }) => {
  expect(NOTICED.get(name)).toEqual({ reached: true, by: expect.any(String), broken: undefined });
});
