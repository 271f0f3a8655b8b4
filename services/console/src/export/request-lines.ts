import type { RoleName } from '@tollgate/common/actors/roles';
import { BUCKETS } from '@tollgate/common/billing/buckets';
import { writerOf } from '@tollgate/common/descriptors/json';
import { formatDollars } from '@tollgate/common/money';
import type { RequestBill as Rendered } from '@tollgate/proto/api-types';
import type { RequestBill } from '@tollgate/proto/console/requests';
import { billOf, type LedgerRequest } from '../requests/bills.ts';
import { type Cell, csvRecord } from './csv.ts';

const toJson = writerOf<RequestBill, Rendered>('tollgate.console.v1.RequestBill');

/** Columns before those of the buckets, which have quantities. */
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

/** As CSV; for operators with what the provider charges them, empty if it reports nothing. */
export function requestCsv(role: RoleName): RequestCsv {
  if (role !== 'operator') return { header: csvRecord(HEADER), toLine: (request) => csvRecord(cellsOf(request)) };
  return {
    header: csvRecord([...HEADER, 'upstream_cost']),
    toLine: (request) => csvRecord([...cellsOf(request), upstreamCost(request)]),
  };
}

function cellsOf(request: LedgerRequest): Cell[] {
  const rendered = toJson(billOf(request));
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

function upstreamCost(request: LedgerRequest): Cell {
  const nanos = request.kind === 'charge' ? request.charge.upstreamCostNanos : undefined;
  return nanos === undefined ? null : formatDollars(nanos);
}

/** A request as one line of JSON: its bill. */
export function requestToJson(request: LedgerRequest): string {
  return `${JSON.stringify(toJson(billOf(request)))}\n`;
}
