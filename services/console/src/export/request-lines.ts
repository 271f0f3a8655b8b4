import { type Cell, csvRecord } from '../render/csv.ts';
import { type LedgerRequest, renderRequest } from '../render/request.ts';
import { BUCKETS } from '../usage/buckets.ts';

type Rendered = ReturnType<typeof renderRequest>;

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

export const REQUEST_CSV_HEADER = csvRecord([...COLUMNS, ...BUCKETS.map((bucket) => `${bucket}_quantity`), 'tags']);

/** A request as one record of CSV. */
export function requestToCsv(request: LedgerRequest): string {
  const rendered = renderRequest(request);
  const quantities = new Map<string, number>();
  for (const { bucket, quantity } of rendered.lines) quantities.set(bucket, (quantities.get(bucket) ?? 0) + quantity);
  const cells: Cell[] = COLUMNS.map((column) => rendered[column]);
  const tags = Object.keys(rendered.tags).length === 0 ? null : JSON.stringify(rendered.tags);
  return csvRecord([...cells, ...BUCKETS.map((bucket) => quantities.get(bucket) ?? 0), tags]);
}

/** A request as one line of JSON: its bill. */
export function requestToJson(request: LedgerRequest): string {
  return `${JSON.stringify(renderRequest(request))}\n`;
}
