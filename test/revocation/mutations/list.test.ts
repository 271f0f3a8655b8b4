import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { expect, it } from 'vitest';
import { mutatedTexts } from '../../ledger/mutations/tree.ts';
import { ALL_MUTATIONS } from './list.ts';

it.each(ALL_MUTATIONS)('there is something to break: $name', (mutation) => {
  const texts = new Map(mutation.edits.map(({ file }) => [file, readFileSync(join(CHECKOUT, file), 'utf8')]));
  for (const [file, text] of mutatedTexts(mutation, texts)) expect(text).not.toBe(texts.get(file));
});
