import { jsonNameOf } from '@tollgate/common/descriptors/json';
import { messageNamed } from '@tollgate/common/descriptors/registry';
import type { FocusRow } from '@tollgate/proto/api-types';
import { csvRecord } from '../export/csv.ts';

/** In the order of the proto file: the columns of the specification, then our own. */
export const FOCUS_COLUMNS = messageNamed('tollgate.console.v1.FocusRow').fields.map(jsonNameOf) as (keyof FocusRow)[];

export const FOCUS_CSV_HEADER = csvRecord(FOCUS_COLUMNS);

/** A row as one record of CSV. */
export function focusToCsv(row: FocusRow): string {
  return csvRecord(FOCUS_COLUMNS.map((column) => row[column]));
}

/** A row as one line of JSON. */
export function focusToJson(row: FocusRow): string {
  return `${JSON.stringify(row)}\n`;
}
