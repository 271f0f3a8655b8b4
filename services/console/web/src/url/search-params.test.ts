import { expect, test } from 'vitest';
import { changeParams, parseParams } from './search-params.ts';

test('parameters without a value are as if they were not there', () => {
  expect(parseParams('?model=gpt-5.2&key_id=&status=failed')).toEqual({ model: 'gpt-5.2', status: 'failed' });
});

test('a change keeps the other parameters', () => {
  expect(changeParams('?model=gpt-5.2&sort=-cost', { status: 'failed', sort: 'cost' })).toBe(
    '?model=gpt-5.2&sort=cost&status=failed',
  );
});

test('removing the last parameter leaves no question mark', () => {
  expect(changeParams('?model=gpt-5.2', { model: undefined })).toBe('');
  expect(changeParams('?model=gpt-5.2', { model: '' })).toBe('');
});

test('values are encoded', () => {
  const search = changeParams('', { tag: 'team:a&b=c' });
  expect(parseParams(search)).toEqual({ tag: 'team:a&b=c' });
});
