import { describe, expect, it } from 'vitest';
import { dashTraceId, newId, newSpanId, newToken, newTraceId, timeOfId } from './ids.ts';

/** More than the pool of random bytes holds, so that it is refilled in between. */
const COUNT = 2_000;
const MAKERS = { newId, newTraceId, newSpanId, newToken };

describe.each(Object.entries(MAKERS))('%s', (_name, make) => {
  it('returns another id each time', () => {
    expect(new Set(Array.from({ length: COUNT }, make)).size).toBe(COUNT);
  });
});

it('trace ids are random UUIDs once dashed', () => {
  for (let index = 0; index < COUNT; index++) {
    expect(dashTraceId(newTraceId())).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

it('span ids are 16 hex digits', () => {
  for (let index = 0; index < COUNT; index++) expect(newSpanId()).toMatch(/^[0-9a-f]{16}$/);
});

it('ids are UUIDs that begin with their time', () => {
  const before = Date.now();
  const id = newId();
  const after = Date.now();
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(timeOfId(id)).toBeGreaterThanOrEqual(before);
  expect(timeOfId(id)).toBeLessThanOrEqual(after);
});

it('ids of one process sort by creation, within a millisecond too', () => {
  const ids = Array.from({ length: COUNT }, newId);
  expect(new Set(ids.map(timeOfId)).size).toBeLessThan(COUNT);
  expect([...ids].sort()).toEqual(ids);
});
