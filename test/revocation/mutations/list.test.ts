import { unchangedFiles } from '@tollgate/test-support/mutations/edits';
import { expect, it } from 'vitest';
import { ALL_MUTATIONS } from './list.ts';

it.each(ALL_MUTATIONS)('can be planted: $name', (mutation) => {
  expect(unchangedFiles(mutation)).toEqual([]);
});
