import { MAX_BILL_BYTES } from '@tollgate/common/file-sizes';
import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { inTransaction } from '@tollgate/common/postgres/pool';
import type { ProviderBillDay } from '@tollgate/proto/console/provider_bills';
import type { RouteTable } from '@tollgate/proto/router';
import type { Dependencies } from '../dependencies.ts';
import { ApiError, apiErrors } from '../http/api-error.ts';
import type { Handlers } from '../http/handlers.ts';
import { dayOf } from '../paging/recent-ranges.ts';
import { MAX_DAYS, readRange } from '../paging/time-range.ts';
import { type ComparedDay, compareBill } from '../provider-bills/compare-bill.ts';
import { BillProblem, readBill } from '../provider-bills/read-bill.ts';
import { readMetered } from '../provider-bills/read-metered.ts';
import { required } from '../required.ts';
import { listBillDays, lockBillDays, replaceBillDays } from '../store/provider-bills.ts';

const MAX_ROWS = 5_000;
/** For all days of a bill. */
const READ_MS = 50_000;

/** Handlers of what providers bill. */
export function providerBillHandlers({ pool, router, ledger }: Dependencies) {
  return {
    importProviderBill: async ({ provider, content, tolerancePpm }, { rpc }) => {
      const upstreamModels = await upstreamModelsOf(provider, await rpc());
      // The description counts characters.
      if (Buffer.byteLength(content) > MAX_BILL_BYTES)
        throw apiErrors.invalid('content', `must have at most ${MAX_BILL_BYTES} bytes`);
      const bill = await readBill(content).catch((error: unknown) => {
        throw error instanceof BillProblem
          ? apiErrors.invalid('content', `cannot be compared: ${error.message}`)
          : error;
      });
      const untilMs = performance.now() + READ_MS;
      const { days } = bill;
      const metered = await readMetered({
        ledger,
        provider,
        days,
        upstreamModels,
        rpc: () => {
          if (performance.now() > untilMs)
            throw apiErrors.invalid('content', 'covers more charges than can be read: send fewer days');
          return rpc();
        },
      });
      const compared = await inTransaction(pool, async (client) => {
        const before = await lockBillDays(client, provider, days);
        const after = compareBill(bill, metered, before, tolerancePpm);
        await replaceBillDays(client, provider, days, after);
        return after;
      });
      const differences = compared.filter(({ differs }) => differs).length;
      return { format: bill.format, differences, data: compared.map(billDay) };
    },

    listProviderBills: async ({ provider, range }, { rpc }) => {
      await upstreamModelsOf(provider, await rpc());
      const { startMs, endMs } = readRange(required(range), MAX_DAYS.others);
      const from = dayOf(Number(startMs), 'UTC');
      const end = dayOf(Number(endMs + DAY_MS - 1n), 'UTC');
      return { data: (await listBillDays(pool, { provider, from, end, limit: MAX_ROWS })).map(billDay) };
    },
  } satisfies Partial<Handlers>;

  async function upstreamModelsOf(provider: string, options: UnaryCallOptions): Promise<Map<string, string>> {
    const table = await unaryCall(router.getRoutes.bind(router), {}, options);
    if (!table.providers.some(({ providerId }) => providerId === provider))
      throw new ApiError('not_found', 'The catalogue in use has no such provider.');
    return deploymentsOf(table, provider);
  }
}

const DAY_MS = 86_400_000n;

function deploymentsOf(table: RouteTable, provider: string): Map<string, string> {
  const own = table.models.flatMap(({ deployments }) => deployments.filter((each) => each.providerId === provider));
  return new Map(own.map(({ deploymentId, upstreamModel }) => [deploymentId, upstreamModel]));
}

function billDay({ billed, metered, ...compared }: ComparedDay): ProviderBillDay {
  return {
    ...compared,
    billedInputTokens: billed.inputTokens,
    meteredInputTokens: metered.inputTokens,
    billedCacheReadTokens: billed.cacheReadTokens,
    meteredCacheReadTokens: metered.cacheReadTokens,
    billedOutputTokens: billed.outputTokens,
    meteredOutputTokens: metered.outputTokens,
    billedCostNanos: billed.costNanos,
    meteredCostNanos: metered.costNanos,
  };
}
