import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closedAncestor } from '@tollgate/local';

export interface TemporaryFolder {
  path: string;
  remove: () => void;
}

/** Creates a folder for throw-away data, in a place that every user can enter: an embedded Postgres may run as another. */
export function makeTemporaryFolder(): TemporaryFolder {
  const place = [tmpdir(), '/tmp', '/var/tmp'].find((folder) => closedAncestor(folder) === undefined) ?? tmpdir();
  const path = mkdtempSync(join(place, 'tollgate-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
