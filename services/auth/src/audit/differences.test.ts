import { expect, it } from 'vitest';
import { changedAttributes, setAttributes } from './differences.ts';

const before = { name: 'ci', day_cap: '', month_cap: '$5', allowed_models: 'small' };

it('records what has changed, and what an attribute without a value means', () => {
  expect(changedAttributes(before, { name: 'ci', day_cap: '$1', month_cap: '', allowed_models: '' })).toEqual({
    day_cap: 'none → $1',
    month_cap: '$5 → none',
    allowed_models: 'small → all',
  });
});

it('records the attributes of something new that are set, shortened', () => {
  expect(setAttributes({ ...before, name: 'x'.repeat(300) })).toEqual({
    name: `${'x'.repeat(199)}…`,
    month_cap: '$5',
    allowed_models: 'small',
  });
});
