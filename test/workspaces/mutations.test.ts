import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import { Sources } from '@tollgate/test-support/mutations/plant';
import { expect, it } from 'vitest';
import { ALL_MUTATIONS as LEDGER_MUTATIONS, TESTED_MUTATIONS } from '../ledger/mutations/list.ts';
import { ALL_MUTATIONS as REVOCATION_MUTATIONS } from '../revocation/mutations/list.ts';

it.each([...LEDGER_MUTATIONS, ...TESTED_MUTATIONS, ...REVOCATION_MUTATIONS])('can be planted: $name', (mutation) => {
  const sources = new Sources(CHECKOUT);
  sources.plant(mutation);
  expect(sources.planted.size).toBeGreaterThan(0);
  for (const [file, text] of sources.planted) expect(text).not.toBe(readFileSync(join(CHECKOUT, file), 'utf8'));
});
