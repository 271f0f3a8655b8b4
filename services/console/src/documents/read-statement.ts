import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import type { LedgerServiceClient, StatementLine } from '@tollgate/proto/ledger';
import { EXPORT_PAGE_ROWS } from '../export/export-limits.ts';

export interface StatementSource {
  ledger: LedgerServiceClient;
  accountId: string;
  month: string;
  /** Options of a call. */
  rpc: () => Promise<UnaryCallOptions>;
}

/** The lines of a statement, a page at a time. */
export async function* readStatementLines({
  ledger,
  accountId,
  month,
  rpc,
}: StatementSource): AsyncGenerator<StatementLine[]> {
  let cursor = '';
  do {
    const request = { accountId, month, limit: EXPORT_PAGE_ROWS, cursor };
    const { data, nextCursor } = await unaryCall(ledger.listStatementLines.bind(ledger), request, await rpc());
    yield data;
    cursor = nextCursor;
  } while (cursor !== '');
}
