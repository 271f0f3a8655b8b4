import { RpcError } from '@tollgate/common/errors';
import type { UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import type { RecordRefusalsRequest, RecordRefusalsResponse } from '@tollgate/proto/ledger';
import { alertRefusingCaps } from '../events/cap-alerts.ts';
import { countProblem, refusalProblem } from '../refusals/check-refusal.ts';
import { recordRefusals } from '../refusals/record-refusals.ts';

const MAX_REFUSALS = 1_000;
/** Maximum counts of dropped refusals in a batch. */
const MAX_DROPPED = 1_000;

/** Records a batch of refusals. Not repeated here when the database fails: a batch that may be recorded is counted once. */
export function createRecordRefusalsHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<RecordRefusalsRequest, RecordRefusalsResponse> {
  return async ({ refusals, dropped, unknownKeys }) => {
    if (refusals.length > MAX_REFUSALS) throw new RpcError('invalid_argument', `refusals: at most ${MAX_REFUSALS}`);
    if (dropped.length > MAX_DROPPED) throw new RpcError('invalid_argument', `dropped: at most ${MAX_DROPPED}`);
    if (unknownKeys < 0n) throw new RpcError('invalid_argument', 'unknown_keys: must not be negative');
    const now = Date.now();
    checkAll('refusals', refusals, (refusal) => refusalProblem(refusal, now));
    checkAll('dropped', dropped, countProblem);
    const known = refusals.map((refusal) => ({
      ...refusal,
      requestId: refusal.requestId.toLowerCase(),
      accountId: refusal.accountId.toLowerCase(),
      keyId: refusal.keyId.toLowerCase(),
      nodes: refusal.nodes.map((node) => ({ ...node, nodeId: node.nodeId.toLowerCase() })),
    }));
    await recordRefusals(pool, {
      refusals: known,
      dropped: dropped.map((count) => ({ ...count, accountId: count.accountId.toLowerCase() })),
      unknownKeys,
    });
    await alertRefusingCaps(pool, known);
    return {};
  };
}

function checkAll<Item>(name: string, items: readonly Item[], problemOf: (item: Item) => string | undefined): void {
  for (const [index, item] of items.entries()) {
    const problem = problemOf(item);
    if (problem !== undefined) throw new RpcError('invalid_argument', `${name}[${index}].${problem}`);
  }
}
