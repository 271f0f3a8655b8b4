import { RpcError } from '@tollgate/common/errors';
import { optionalUuidArgument } from '@tollgate/common/grpc/arguments';
import { actorOf, type UnaryHandler } from '@tollgate/common/grpc/handler';
import type { Pool } from '@tollgate/common/postgres/pool';
import { Exported, type RecordExportRequest, type RecordExportResponse } from '@tollgate/proto/auth';
import { insertAudit } from '../store/audit.ts';
import { auditDetailsArgument } from './people-arguments.ts';

/** Records that the actor exports requests, costs or the audit log. */
export function createRecordExportHandler({
  pool,
}: {
  pool: Pool;
}): UnaryHandler<RecordExportRequest, RecordExportResponse> {
  return async (request, context) => {
    const accountId = optionalUuidArgument('account_id', request.accountId);
    const details = auditDetailsArgument('details', request.details);
    const target = { accountId, targetId: accountId ?? '', targetName: '', details };
    await insertAudit(pool, { ...target, actor: actorOf(context), ...changeOf(request.exported) });
    return {};
  };
}

function changeOf(exported: Exported): { action: string } {
  switch (exported) {
    case Exported.UNSPECIFIED:
      throw new RpcError('invalid_argument', 'exported: required');
    case Exported.REQUESTS:
      return { action: 'requests.export' };
    case Exported.AUDIT:
      return { action: 'audit.export' };
    case Exported.COSTS:
      return { action: 'costs.export' };
    default:
      return exported satisfies never;
  }
}
