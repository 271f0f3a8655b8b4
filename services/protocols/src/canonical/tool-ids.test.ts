import fc from 'fast-check';
import { expect, test } from 'vitest';
import { providerToolId } from './tool-ids.ts';

const RULE = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 40 };

test('an id that the provider takes stays', () => {
  expect(providerToolId('toolu_01A-b', RULE)).toBe('toolu_01A-b');
});

test('any other becomes one it takes, always the same', () => {
  fc.assert(
    fc.property(fc.string(), (id) => {
      const given = providerToolId(id, RULE);
      expect(given).toMatch(RULE.pattern);
      expect(given.length).toBeLessThanOrEqual(RULE.maxLength);
      expect(providerToolId(id, RULE)).toBe(given);
    }),
  );
});

test('ids that differ stay different', () => {
  const ids = ['functions.get:0', 'functions.get:1', 'x'.repeat(41), 'x'.repeat(42), ''];
  expect(new Set(ids.map((id) => providerToolId(id, RULE))).size).toBe(ids.length);
});
