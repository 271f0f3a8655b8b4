import { writerOf } from '@tollgate/common/descriptors/json';
import type { StatementLine as StatementLineJson } from '@tollgate/proto/api-types';
import type { StatementLine } from '@tollgate/proto/ledger';
import { csvRecord } from '../export/csv.ts';

const toJson = writerOf<StatementLine, StatementLineJson>('tollgate.ledger.v1.StatementLine');

const COLUMNS = [
  'at',
  'kind',
  'reference',
  'description',
  'model',
  'requests',
  'lot_kind',
  'ends_at',
  'amount',
] as const satisfies readonly (keyof StatementLineJson)[];

export const STATEMENT_CSV_HEADER = csvRecord(COLUMNS);

/** A line of a statement as one record of CSV. */
export function statementLineToCsv(line: StatementLine): string {
  const rendered = toJson(line);
  return csvRecord(COLUMNS.map((column) => rendered[column]));
}
