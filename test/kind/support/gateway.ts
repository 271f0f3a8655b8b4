import { Accounts } from '@tollgate/test-support/gateway/accounts';
import { testCatalogue } from '@tollgate/test-support/gateway/catalogue';
import { PROVIDER_KEY } from '@tollgate/test-support/gateway/gateway';
import { Books } from '@tollgate/test-support/load/books';
import { certifiedAs } from './certificates.ts';
import { type Forward, forward } from './forward.ts';
import type { Release, ReleaseValues } from './release.ts';

/** The gateway of a release, with forwarded ports for operators and auditors. */
export interface Gateway {
  accounts: Accounts;
  books: Books;
  databaseUrl: string;
  stop: () => Promise<void>;
}

export async function reach(release: Release): Promise<Gateway> {
  const { namespace } = release;
  const auth = await forward(namespace, `service/${release.named('auth')}`, 50_051);
  const ledger = await forward(namespace, `service/${release.named('ledger')}`, 50_051);
  const postgres = await forward(namespace, `service/${release.named('postgres')}`, 5_432);
  const tls = await certifiedAs('console', release);
  const accounts = new Accounts({ auth: auth.address, ledger: ledger.address }, tls);
  const databaseUrl = await databaseUrlOf(release, postgres);
  const books = new Books(databaseUrl);
  const stop = async () => {
    accounts.close();
    await books.close();
    for (const each of [auth, ledger, postgres]) each.stop();
  };
  return { accounts, books, databaseUrl, stop };
}

async function databaseUrlOf(release: Release, { port }: Forward): Promise<string> {
  const url = new URL(await release.secret(release.named('evaluation'), 'postgres-url'));
  url.host = `127.0.0.1:${port}`;
  return url.href;
}

/** Values with the catalogue of the load's models, and without limits. */
export function loadValues(release: Release): ReleaseValues {
  const catalogue = testCatalogue({
    simulatorUrl: `http://${release.named('simulator')}:8090`,
    deadUrl: 'http://127.0.0.1:9',
  });
  return {
    catalogue: { inline: catalogue },
    evaluation: { simulator: { always: true } },
    tests: { model: 'small' },
    ingress: {
      terminationGracePeriodSeconds: 90,
      extraEnv: [
        { name: 'TEST_PROVIDER_KEY', value: PROVIDER_KEY },
        { name: 'BILLING_REQUESTS_PER_MINUTE', value: '60000' },
      ],
    },
  };
}

/** Merges values; lists are replaced. */
export function merged(...layers: readonly ReleaseValues[]): ReleaseValues {
  const result: ReleaseValues = {};
  for (const layer of layers) {
    for (const [name, value] of Object.entries(layer)) {
      const before = result[name];
      result[name] = isValues(before) && isValues(value) ? merged(before, value) : value;
    }
  }
  return result;
}

function isValues(value: unknown): value is ReleaseValues {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
