import { expect, it } from 'vitest';
import { isFiltered, isRequestOrTraceId, readFilters, toQuery } from './filters.ts';

const RANGE = { start: '2026-11-22T12:00:00.000Z', end: '2026-11-23T12:00:00.000Z' };
const KEY_ID = '0199c0d0-1111-7000-8000-000000000000';
const PROJECT_ID = '0199c0d0-2222-7000-8000-000000000000';

it('reads all filters of an address and asks the API for them', () => {
  const filters = readFilters({
    model: 'gpt-5.6',
    key: KEY_ID,
    status: 'refused',
    tag: 'team:search',
    session: 's-1',
    project: PROJECT_ID,
    owner: KEY_ID,
  });
  expect(isFiltered(filters)).toBe(true);
  expect(toQuery(RANGE, filters)).toEqual({
    ...RANGE,
    model: 'gpt-5.6',
    key_id: KEY_ID,
    status: 'refused',
    tag: 'team:search',
    session: 's-1',
    project_id: PROJECT_ID,
    owner_id: KEY_ID,
  });
});

it('leaves out what the API would refuse', () => {
  const filters = readFilters({
    key: 'ci',
    status: 'lost',
    tag: 'team',
    session: 's'.repeat(101),
    model: 'm'.repeat(201),
    project: 'default',
    owner: '0199',
  });
  expect(isFiltered(filters)).toBe(false);
  expect(toQuery(RANGE, filters)).toEqual(RANGE);
});

it.each([
  ['0199c0de-7a10-7f3a-9b1c-2f4f5a6b7c8d', true],
  [' 5b8aa5a2d2c84e319c1b0a2f6d3b4c5e ', true],
  ['5b8aa5a2-d2c8-4e31-9c1b-0a2f6d3b4c5e', true],
  ['5b8aa5a2', false],
  ['gpt-5.6', false],
])('takes %j for an id: %s', (text, expected) => {
  expect(isRequestOrTraceId(text)).toBe(expected);
});
