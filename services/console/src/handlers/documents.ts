import { type UnaryCallOptions, unaryCall } from '@tollgate/common/grpc/client';
import { DocumentFormat } from '@tollgate/proto/console/documents';
import { ExportFormat } from '@tollgate/proto/console/queries';
import { DepositKind } from '@tollgate/proto/ledger';
import type { Dependencies } from '../dependencies.ts';
import type { Document } from '../documents/document.ts';
import { receiptNumber, statementNumber } from '../documents/numbers.ts';
import { issuerOf, type Parties } from '../documents/parties.ts';
import { readStatementLines } from '../documents/read-statement.ts';
import { STATEMENT_CSV_HEADER, statementLineToCsv } from '../documents/statement-csv.ts';
import { StatementLines } from '../documents/statement-lines.ts';
import type { ExportedFile } from '../export/send-export.ts';
import { ApiError } from '../http/api-error.ts';
import type { RoleCall } from '../http/call.ts';
import type { Handlers } from '../http/handlers.ts';
import { findDeposit } from '../lookups/find-deposit.ts';
import { required } from '../required.ts';
import { keepParties } from '../store/documents.ts';

/** Handlers of statements and receipts as files. */
export function documentHandlers({ config, pool, auth, ledger, exports, printer }: Dependencies) {
  /** The parties of a document, which stay as they are when it is first read. */
  async function partiesOf(number: string, accountId: string, options: UnaryCallOptions): Promise<Parties> {
    const { account } = await unaryCall(auth.getAccount.bind(auth), { accountId }, options);
    const { name } = required(account);
    const parties = { issuer: issuerOf(config), recipient: { name, accountId } };
    return keepParties(pool, { number, accountId, parties });
  }

  async function print(document: Document, fileName: string, { signal }: RoleCall): Promise<ExportedFile> {
    return { fileName, contentType: 'application/pdf', content: await printer.print(document, signal) };
  }

  return {
    downloadStatement: async ({ accountId, month, format }, call) => {
      const { rpc } = call;
      const fileName = `statement-${month}`;
      const source = { ledger, accountId, month, rpc };
      if (format === DocumentFormat.CSV) {
        await exports.send({ ...call, accountId }, async () => ({
          fileName,
          format: ExportFormat.CSV,
          pages: readStatementLines(source),
          header: STATEMENT_CSV_HEADER,
          toLine: statementLineToCsv,
        }));
        return undefined;
      }
      await exports.sendFile({ ...call, accountId }, async () => {
        const statement = await unaryCall(ledger.getStatement.bind(ledger), { accountId, month }, await rpc());
        const lines = new StatementLines();
        for await (const page of readStatementLines(source)) for (const line of page) lines.add(line);
        const number = statementNumber(statement.accountId, month);
        const parties = await partiesOf(number, statement.accountId, await rpc());
        const document = { kind: 'statement' as const, number, parties, statement, ...lines.content() };
        return print(document, `${fileName}.pdf`, call);
      });
      return undefined;
    },

    downloadReceipt: async ({ accountId, depositId }, call) => {
      const { rpc } = call;
      await exports.sendFile({ ...call, accountId }, async () => {
        const deposit = await findDeposit(depositId, { ledger, accountId, rpc });
        if (deposit === undefined) throw new ApiError('not_found', 'The account has no such deposit.');
        if (deposit.kind !== DepositKind.DEPOSIT)
          throw new ApiError('not_found', 'There are receipts of what was paid in only.');
        const number = receiptNumber(deposit.depositId);
        const parties = await partiesOf(number, deposit.accountId, await rpc());
        return print({ kind: 'receipt', number, parties, deposit }, `receipt-${number}.pdf`, call);
      });
      return undefined;
    },
  } satisfies Partial<Handlers>;
}
