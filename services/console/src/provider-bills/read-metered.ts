import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient } from '@tollgate/proto/ledger';
import type { MeteredDay } from './compare-bill.ts';

export interface MeteredQuery {
  ledger: LedgerServiceClient;
  provider: string;
  /** Days of UTC, such as `2026-11-30`. */
  days: readonly string[];
  /** Names of models at the provider, by deployment. */
  upstreamModels: ReadonlyMap<string, string>;
  /** Options of a call. */
  rpc: () => Promise<UnaryCallOptions>;
}

/** What was metered of a provider on some days, by its name of the model; by ours where the catalogue lacks the deployment. */
export async function readMetered({
  ledger,
  provider,
  days,
  upstreamModels,
  rpc,
}: MeteredQuery): Promise<MeteredDay[]> {
  const metered: MeteredDay[] = [];
  for (const day of days) {
    const dayMs = BigInt(Date.parse(`${day}T00:00:00Z`));
    let cursor = '';
    do {
      const page = await unaryCall(ledger.sumProviderUsage.bind(ledger), { provider, dayMs, cursor }, await rpc());
      for (const { deployment, model, requests, ...quantities } of page.usage) {
        metered.push({ day, model: upstreamModels.get(deployment) ?? model, requests, quantities });
      }
      cursor = page.nextCursor;
    } while (cursor !== '');
  }
  return metered;
}
