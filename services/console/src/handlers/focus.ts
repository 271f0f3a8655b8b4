import { unaryCall } from '@tollgate/common/grpc/client';
import { Exported } from '@tollgate/proto/auth';
import { ExportFormat } from '@tollgate/proto/console/queries';
import type { Dependencies } from '../dependencies.ts';
import { recordExport } from '../export/record-export.ts';
import { FOCUS_CSV_HEADER, focusToCsv, focusToJson } from '../focus/focus-lines.ts';
import { readFocusRange } from '../focus/focus-range.ts';
import { readFocus } from '../focus/read-focus.ts';
import type { Handlers } from '../http/handlers.ts';
import { daysOf } from '../paging/time-range.ts';
import { required } from '../required.ts';

/** The handler of charges for tools of finance. */
export function focusHandlers({ auth, ledger, exports }: Dependencies) {
  return {
    exportFocus: async (request, { rpc, ...call }) => {
      const { accountId, month, format, projectId = '', ownerId = '' } = request;
      const range = readFocusRange(request);
      await exports.send({ ...call, accountId }, async () => {
        const recorded = { accountId, exported: Exported.COSTS, query: call.response.req.query };
        await recordExport(auth, recorded, await rpc());
        const { account } = await unaryCall(auth.getAccount.bind(auth), { accountId }, await rpc());
        const field = month === undefined ? ('start' as const) : ('month' as const);
        const source = {
          ledger,
          accountId,
          accountName: required(account).name,
          projectId,
          ownerId,
          range,
          field,
          rpc,
        };
        return {
          fileName: `focus-${month ?? daysOf(range)}`,
          format,
          pages: readFocus(source),
          header: FOCUS_CSV_HEADER,
          toLine: format === ExportFormat.CSV ? focusToCsv : focusToJson,
        };
      });
      return undefined;
    },
  } satisfies Partial<Handlers>;
}
