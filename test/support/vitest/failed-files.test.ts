import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { failureKind } from './failed-files.ts';

/** The error thrown by a function. */
function errorOf(fails: () => void): { message: string; stack?: string } {
  try {
    fails();
  } catch (error) {
    if (error instanceof Error) return { message: error.message, ...(error.stack && { stack: error.stack }) };
  }
  throw new Error('It did not fail.');
}

describe('a failed test file', () => {
  it('may run again if only a condition was not met in time', () => {
    expect(failureKind([errorOf(() => expect(503).toBe(200)), { message: 'Test timed out in 120000ms.' }])).toBe(
      'timing',
    );
  });

  it('is a finding if a property fails, because fast-check reports its seed', () => {
    const property = fc.property(fc.integer({ min: 1 }), (n) => n < 0);
    expect(failureKind([{ message: 'in time' }, errorOf(() => fc.assert(property))])).toBe('seeded');
  });

  it('is a finding if the assertion contains the seed of its run', () => {
    expect(failureKind([errorOf(() => expect(['a dead key was accepted'], 'SEED=7').toEqual([]))])).toBe('seeded');
  });

  it('is a finding if a history of the ledger fails, whose output names the seed', () => {
    const output = 'To see it again: HISTORIES=calls SEED=31 REPLAY=0 make ledger-test';
    expect(failureKind([errorOf(() => expect(3, output).toBe(0))])).toBe('seeded');
  });
});
