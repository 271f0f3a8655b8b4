import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedAncestor } from '@tollgate/local';

export interface TemporaryFolder {
  path: string;
  remove: () => void;
}

/** Creates a temporary folder where every user can enter it: an embedded Postgres may run as another user. */
export function makeTemporaryFolder(): TemporaryFolder {
  const place = [tmpdir(), '/tmp', '/var/tmp'].find((folder) => closedAncestor(folder) === undefined) ?? tmpdir();
  const path = mkdtempSync(join(place, 'tollgate-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
