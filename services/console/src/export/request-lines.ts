import type { RoleName } from '@tollgate/common/actors/roles';
import { BUCKETS } from '@tollgate/common/billing/buckets';
import { writerOf } from '@tollgate/common/descriptors/json';
import type { RequestBill as Rendered } from '@tollgate/proto/api-types';
import type { RequestBill } from '@tollgate/proto/console/requests';
import { billOf, type LedgerRequest } from '../requests/bills.ts';
import { type Cell, csvRecord } from './csv.ts';

const toJson = writerOf<RequestBill, Rendered>('tollgate.console.v1.RequestBill');

/** Columns before the buckets, which have quantities. */
const COLUMNS = [
  'request_id',
  'trace_id',
  'started_at',
  'status',
  'reason',
  'model',
  'provider',
  'deployment',
  'protocol_in',
  'protocol_out',
  'streamed',
  'key_id',
  'key_name',
  'project_id',
  'session',
  'agent_id',
  'parent_agent_id',
  'finish_reason',
  'first_token_ms',
  'duration_ms',
  'retries',
  'usage_estimated',
  'price_version',
  'discount_percent',
  'hold',
  'cost',
] as const satisfies readonly (keyof Rendered)[];

/** Columns of requests that failed or were refused: what the client got, and what to do. */
const ERROR_COLUMNS = ['http_status', 'error_type', 'provider_status', 'sentence', 'action', 'attempts'];

const HEADER = [...COLUMNS, ...BUCKETS.map((bucket) => `${bucket}_quantity`), 'tags', ...ERROR_COLUMNS];

/** How requests are written as CSV. */
export interface RequestCsv {
  header: string;
  /** A request as one record. */
  toLine: (request: LedgerRequest) => string;
}

/** Columns for operators: what the provider charges them, if it reports that, and base cost and margin of an account's own prices. */
const OPERATOR_COLUMNS = ['upstream_cost', 'base_cost', 'margin'] as const satisfies readonly (keyof Rendered)[];

/** As CSV; for operators with columns of their own. */
export function requestCsv(role: RoleName): RequestCsv {
  const rendered = (request: LedgerRequest) => toJson(billOf(request));
  if (role !== 'operator')
    return { header: csvRecord(HEADER), toLine: (request) => csvRecord(cellsOf(rendered(request))) };
  return {
    header: csvRecord([...HEADER, ...OPERATOR_COLUMNS]),
    toLine: (request) => {
      const bill = rendered(request);
      return csvRecord([...cellsOf(bill), ...OPERATOR_COLUMNS.map((column) => bill[column] ?? null)]);
    },
  };
}

function cellsOf(rendered: Rendered): Cell[] {
  const quantities = new Map<string, number>();
  for (const { bucket, quantity } of rendered.lines) quantities.set(bucket, (quantities.get(bucket) ?? 0) + quantity);
  const cells: Cell[] = COLUMNS.map((column) => rendered[column]);
  const tags = Object.keys(rendered.tags).length === 0 ? null : JSON.stringify(rendered.tags);
  return [...cells, ...BUCKETS.map((bucket) => quantities.get(bucket) ?? 0), tags, ...errorCells(rendered)];
}

function errorCells({ failure, refusal, attempts }: Rendered): Cell[] {
  const error = failure ?? refusal;
  return [
    error?.http_status ?? null,
    error?.error_type ?? null,
    failure?.provider_status ?? null,
    error?.sentence ?? null,
    error?.action ?? null,
    attempts.length === 0 ? null : JSON.stringify(attempts),
  ];
}

/** A request as one line of JSON: its bill. */
export function requestToJson(request: LedgerRequest): string {
  return `${JSON.stringify(toJson(billOf(request)))}\n`;
}
