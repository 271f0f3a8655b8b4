import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { send } from '@tollgate/test-support/gateway/http';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { KIND } from '../support/cluster.ts';
import { forward } from '../support/forward.ts';
import { type Gateway, loadValues, merged, reach } from '../support/gateway.ts';
import { laterImages } from '../support/images.ts';
import { Release, type ReleaseValues, SERVICES } from '../support/release.ts';
import { underLoad } from '../support/under-load.ts';

/** A separate database, with the schema of this checkout. */
const release = new Release({ namespace: 'tollgate-upgrade', nodePort: 30_082 });
const folder = makeTemporaryFolder();
/** The chart of the later version. */
const chart = join(folder.path, 'tollgate');
let gateway: Gateway;
/** The revision of the installation. */
let installed: number;
/** Image tags: with a failing migration, with one more, and with two. */
let broken: string;
let next: string;
let last: string;

beforeAll(async () => {
  cpSync(KIND.chart, chart, { recursive: true });
  const file = join(chart, 'Chart.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^version: .*$/m, 'version: 99.0.0'));
  broken = await laterImages('broken', ['ALTER TABLE ledger.no_such_table ADD COLUMN note text;']);
  const expand = [
    `ALTER TABLE ledger.deposits ADD COLUMN test_note text;
     COMMENT ON COLUMN ledger.deposits.test_note IS 'Of a later version.';`,
    'CREATE TABLE ledger.test_notes (account_id uuid PRIMARY KEY, note text);',
  ];
  next = await laterImages('next', expand.slice(0, 1));
  last = await laterImages('last', expand);
  await release.remove();
  await release.install(loadValues(release));
  installed = await release.revision();
  gateway = await reach(release);
}, 900_000);
afterAll(async () => {
  await gateway?.stop();
  folder.remove();
  await release.remove();
});

/** Values of the later version: a catalogue with one more model. */
function laterValues(tag: string): ReleaseValues {
  const values = loadValues(release);
  const { catalogue } = z.object({ catalogue: z.object({ inline: z.string() }) }).parse(values);
  const parsed = z
    .looseObject({ models: z.array(z.looseObject({ id: z.string() })) })
    .parse(JSON.parse(catalogue.inline));
  const small = parsed.models.find(({ id }) => id === 'small');
  const inline = JSON.stringify({ ...parsed, models: [...parsed.models, { ...small, id: 'added', aliases: [] }] });
  return merged(values, { catalogue: { inline }, image: { tag } });
}

async function schemaVersion(): Promise<number> {
  const { rows } = await gateway.books.pool.query<{ version: number }>(
    'SELECT max(version)::int AS version FROM ledger.migrations',
  );
  return rows[0]?.version ?? 0;
}

async function hasModel(id: string): Promise<boolean> {
  const { key } = await gateway.accounts.create(1_000_000n);
  const response = await send(release.url, { path: `/v1/models/${id}`, headers: { authorization: `Bearer ${key}` } });
  return response.status === 200;
}

async function podNames(): Promise<string[]> {
  return (await release.pods(...SERVICES))
    .filter(({ leaving }) => !leaving)
    .map(({ name }) => name)
    .sort();
}

describe('an upgrade from the version before, under load', () => {
  let before: number;

  it('fails visibly if a migration fails, and changes nothing', async () => {
    before = await schemaVersion();
    const pods = await podNames();
    const outcome = await underLoad({ what: 'an upgrade whose migration fails', release, gateway }, async () => {
      const values = merged(laterValues(broken), { migrations: { backoffLimit: 0 } });
      await expect(release.install(values, { chart })).rejects.toThrow(/pre-upgrade hooks failed/);
    });
    expect(await podNames()).toEqual(pods);
    expect(await schemaVersion()).toBe(before);
    expect(outcome.failed).toEqual([]);
    expect(outcome.findings).toEqual([]);
    expect(await release.kubectl('logs', '--selector', 'app.kubernetes.io/component=migrate')).toMatch(/no_such_table/);
  });

  it('brings a new schema and a changed catalogue without losing a request', async () => {
    expect(await hasModel('added')).toBe(false);
    const outcome = await underLoad({ what: 'an upgrade with a new schema and catalogue', release, gateway }, () =>
      release.install(laterValues(next), { chart }),
    );
    expect(outcome.failed).toEqual([]);
    expect(outcome.findings).toEqual([]);
    expect(await schemaVersion()).toBe(before + 1);
    await expect.poll(() => hasModel('added'), { timeout: 120_000, interval: 1_000 }).toBe(true);
  });

  it('is rolled back without losing a request, keeping the schema', async () => {
    // Without a number, Helm takes the revision before, which failed.
    const rollback = () => release.helm('rollback', String(installed), '--wait', '--timeout', '5m');
    const outcome = await underLoad({ what: 'a rollback', release, gateway }, rollback);
    expect(outcome.failed).toEqual([]);
    expect(outcome.findings).toEqual([]);
    expect(await schemaVersion()).toBe(before + 1);
    await expect.poll(() => hasModel('added'), { timeout: 120_000, interval: 1_000 }).toBe(false);
  });

  it('makes new services wait for their schema and report it, while old ones serve', async () => {
    const outcome = await underLoad({ what: 'an upgrade before its migration', release, gateway }, async () => {
      await release.install(merged(laterValues(last), { migrations: { enabled: false } }), { chart, wait: false });
      const waiting = async () => (await release.pods('ledger')).find(({ ready, ip }) => !ready && ip !== '')?.name;
      await expect.poll(waiting, { timeout: 120_000 }).toBeDefined();
      const health = await forward(release.namespace, `pod/${await waiting()}`, 50_052);
      const reason = async () => (await fetch(`http://${health.address}/health/ready`)).text();
      await expect.poll(reason, { timeout: 60_000 }).toMatch(/schema/);
      health.stop();
      await release.install(laterValues(last), { chart });
    });
    expect(outcome.failed).toEqual([]);
    expect(outcome.findings).toEqual([]);
    expect(await schemaVersion()).toBe(before + 2);
  });
});
