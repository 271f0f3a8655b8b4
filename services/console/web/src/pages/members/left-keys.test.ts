import { expect, test } from 'vitest';
import { countOf, deletable, type LeftKey } from './left-keys.ts';

const api: LeftKey = { id: '1', kind: 'api', name: 'laptop', lastFour: 'abcd' };
const management: LeftKey = { id: '2', kind: 'management', name: 'deploys', lastFour: 'wxyz' };

test('keys of both kinds are counted apart', () => {
  expect(countOf([api])).toBe('1 key');
  expect(countOf([management, api, api])).toBe('2 keys and 1 management key');
  expect(countOf([management, management])).toBe('2 management keys');
});

test('management keys are deleted by those who may', () => {
  expect(deletable([management, api], true)).toEqual([management, api]);
  expect(deletable([management, api], false)).toEqual([api]);
});
