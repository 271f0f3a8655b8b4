import { execFile, execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { parse } from 'yaml';
import { z } from 'zod';
import { KIND } from './cluster.ts';

const TOOL = fileURLToPath(new URL('../../../deploy/tools/tool', import.meta.url));
const MIGRATIONS = fileURLToPath(new URL('../../../services/ledger/migrations', import.meta.url));
const SERVICES = ['ingress', 'auth', 'ledger', 'router', 'console', 'payments', 'simulator'];
const run = promisify(execFile);

/** The images that `make kind-up` loaded into the cluster. */
export function images(): { repository: string; tag: string } {
  const { image } = z
    .object({ image: z.object({ repository: z.string(), tag: z.string() }) })
    .parse(parse(readFileSync(KIND.values, 'utf8')));
  return image;
}

/**
 * Loads images of a later version into the cluster: the present ones with further migrations of the ledger.
 *
 * @param sql of each further migration, in order
 * @returns their tag
 */
export async function laterImages(name: string, sql: readonly string[]): Promise<string> {
  const { repository, tag } = images();
  const later = `${tag}-${name}`;
  const { path, remove } = makeTemporaryFolder();
  try {
    const first = readdirSync(MIGRATIONS).length + 1;
    for (const [index, text] of sql.entries())
      writeFileSync(join(path, `${String(first + index).padStart(4, '0')}-test.sql`), text);
    for (const service of SERVICES) {
      const copies = service === 'ledger' ? 'COPY *.sql services/ledger/migrations/\n' : '';
      writeFileSync(join(path, 'Dockerfile'), `FROM ${repository}/${service}:${tag}\n${copies}`);
      await run('docker', ['build', '--quiet', '--tag', `${repository}/${service}:${later}`, path]);
    }
  } finally {
    remove();
  }
  const kind = execFileSync(TOOL, ['kind'], { encoding: 'utf8' }).trim();
  const cluster = KIND.node.replace(/-control-plane$/, '');
  const named = SERVICES.map((service) => `${repository}/${service}:${later}`);
  await run(kind, ['load', 'docker-image', '--name', cluster, ...named]);
  return later;
}
