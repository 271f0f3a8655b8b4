import { expect, it } from 'vitest';
import { renderText } from './render.ts';

it('shows fields, objects of simple values on a line, and lists of objects as tables', () => {
  const key = { key_id: 'k1', name: 'ci', caps: { day: '5', month: null }, tags: {}, allowed_models: [] };
  expect(renderText({ key, confirmations: [{ ingress: 'a', confirmed: true, after_ms: 12 }], hint: null })).toBe(
    [
      'key                 k1',
      'key name            ci',
      'key caps            day 5',
      'key tags            none',
      'key allowed models  all',
      'hint                none',
      '',
      'CONFIRMATIONS',
      'INGRESS  CONFIRMED  AFTER MS',
      'a        yes              12',
      '',
    ].join('\n'),
  );
});

it('shows a list with the columns that are wanted, and that there are more', () => {
  const data = [{ created_at: '2026-05-01T12:00:00.123Z', actor: { name: 'ana\u001b', via: 'api' }, tags: ['a', 'b'] }];
  expect(renderText({ data, next_cursor: 'c2' }, ['created_at', 'actor.name', 'tags'])).toBe(
    [
      'CREATED               ACTOR NAME  TAGS',
      '2026-05-01 12:00:00Z  ana\u{fffd}        a, b',
      '',
      'There are more: add --cursor c2',
      '',
    ].join('\n'),
  );
  expect(renderText({ data: [], next_cursor: null })).toBe('There are none.\n');
  expect(renderText(undefined)).toBe('Done.\n');
});
