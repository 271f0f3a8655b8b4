import { expect, test } from 'vitest';
import { pageOf } from './routes.tsx';

test('a model opens over the list of models: both are one page', () => {
  expect(pageOf('/accounts/a/models/openai%2Fgpt-5')).toBe('/accounts/a/models');
  expect(pageOf('/accounts/a/models')).toBe('/accounts/a/models');
});

test('each key and request is a page of its own', () => {
  expect(pageOf('/accounts/a/keys/k')).toBe('/accounts/a/keys/k');
  expect(pageOf('/accounts/a/requests/r')).toBe('/accounts/a/requests/r');
  expect(pageOf('/accounts/models/keys')).toBe('/accounts/models/keys');
});
