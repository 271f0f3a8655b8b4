import type { ChargeStatusName } from '@tollgate/common/billing/charge';
import { idFloor, timeOfId } from '@tollgate/common/ids';
import type { Queryable } from '@tollgate/common/postgres/pool';
import type { Charge } from '@tollgate/proto/ledger';
import { CHARGE_COLUMNS, type ChargeRow, chargeFromRow } from './charges.ts';
import { pathConditions } from './path-conditions.ts';
import { HOUR_MS, MAX_START_SKEW_MS, type TimeRange } from './time.ts';
import { latestUsedHour, type UsageFilter } from './usage.ts';

/** Which charges are searched; all of the given conditions hold. */
export interface ChargeFilter extends UsageFilter {
  model?: string | undefined;
  status?: ChargeStatusName | undefined;
  tag?: { name: string; value: string } | undefined;
  clientSessionId?: string | undefined;
}

export interface ChargeSearch {
  accountId: string;
  /** Of the start of the request. */
  range: TimeRange;
  filter: ChargeFilter;
  /** The id before which to search; undefined for the first page. */
  before: string | undefined;
  /** Maximum charges. */
  limit: number;
  /** Whether the late indexes exist: without them the search reads more. */
  indexed: boolean;
}

export interface ChargePage {
  /** Newest first. */
  charges: Charge[];
  /** The id before which the search continues; undefined when there is nothing more to read. */
  next: string | undefined;
}

/**
 * Maximum charges of a chunk. So few that reading the ordered index pays: for many, Postgres prefers to read and sort the
 * whole range.
 */
const CHUNK = 2_000;
/** A search that took longer returns what it has found; the next page continues it. */
const SEARCH_MS = 50;

/**
 * A page of an account's charges, newest first by request_id. The time inside the id is close to the start of the request,
 * so bounds on the id limit the search to few partitions and little more than the range; the start itself decides.
 *
 * No filter makes a search long, however few charges match: it follows the index of the client's session or of requests that
 * were not completed, passes over hours in which the keys and the model were not used, by the roll-up, and reads the rest in
 * chunks, until it has found enough or its time is over.
 */
export async function searchCharges(
  db: Queryable,
  search: ChargeSearch,
  now: () => number = performance.now.bind(performance),
): Promise<ChargePage> {
  const { range, limit } = search;
  const charges: Charge[] = [];
  const { keyIds, keysAndBelow, ownerIds, projectIds } = search.filter;
  if ([keyIds, keysAndBelow, ownerIds, projectIds].some((ids) => ids?.length === 0))
    return { charges, next: undefined };
  const lowest = idFloor(range.startMs - MAX_START_SKEW_MS);
  let before = earlierId(search.before?.toLowerCase(), idFloor(range.endMs + MAX_START_SKEW_MS));
  const until = now() + SEARCH_MS;
  for (;;) {
    const span = await nextSpan(db, search, { from: lowest, before });
    if (span === undefined) return { charges, next: undefined };
    const found = await readChunk(db, search, span, limit - charges.length);
    charges.push(...found);
    if (charges.length >= limit) return { charges, next: charges.at(-1)?.requestId };
    before = (await chunkEnd(db, search, span)) ?? span.from;
    if (before <= lowest) return { charges, next: undefined };
    if (now() >= until) return { charges, next: before };
  }
}

/** A range of ids, `before` exclusive. In lower case, so that their text sorts as they do. */
interface IdSpan {
  from: string;
  before: string;
}

function earlierId(id: string | undefined, last: string): string {
  return id === undefined || id > last ? last : id;
}

/** An index that has only charges of interest, and the condition that makes it usable. */
type Source = 'all' | 'client session' | 'not completed';

function sourceOf({ filter, indexed }: ChargeSearch): Source {
  if (!indexed) return 'all';
  if (filter.clientSessionId !== undefined) return 'client session';
  return filter.status === undefined || filter.status === 'completed' ? 'all' : 'not completed';
}

/** The next ids to read: without the hours, by the roll-up, in which the keys and so on or the model were not used. */
async function nextSpan(db: Queryable, search: ChargeSearch, rest: IdSpan): Promise<IdSpan | undefined> {
  const { accountId, range, filter, indexed } = search;
  const { model, keyIds, keysAndBelow, ownerIds, projectIds } = filter;
  if (!indexed || sourceOf(search) !== 'all') return rest;
  if ((keyIds ?? keysAndBelow ?? ownerIds ?? projectIds ?? model) === undefined) return rest;
  const idMs = timeOfId(rest.before);
  const latestMs = rest.before === idFloor(idMs) ? idMs - 1 : idMs;
  const hours = {
    fromMs: hourOf(range.startMs),
    toMs: hourOf(Math.min(latestMs + MAX_START_SKEW_MS, range.endMs - 1)),
  };
  const hour = await latestUsedHour(db, { accountId, filter, model, ...hours });
  if (hour === undefined) return undefined;
  const from = idFloor(hour - MAX_START_SKEW_MS);
  return {
    from: from > rest.from ? from : rest.from,
    before: earlierId(rest.before, idFloor(hour + HOUR_MS + MAX_START_SKEW_MS)),
  };
}

function hourOf(unixMs: number): number {
  return unixMs - (unixMs % HOUR_MS);
}

/** SQL: the next charges to read. */
function chunkOf(source: Source): string {
  const conditions = {
    all: '',
    'client session': 'AND client_session_id = $4',
    'not completed': `AND status <> 'completed'`,
  };
  return `FROM ledger.charges
     WHERE account_id = $1 AND request_id >= $2 AND request_id < $3 ${conditions[source]}
     ORDER BY request_id DESC`;
}

/** The matching ones among the next charges, at most `limit`. */
async function readChunk(db: Queryable, search: ChargeSearch, span: IdSpan, limit: number): Promise<Charge[]> {
  const { accountId, range, filter } = search;
  const source = sourceOf(search);
  const values: unknown[] = [accountId, span.from, span.before];
  const conditions: string[] = [];
  const where = (condition: (...places: string[]) => string, ...given: unknown[]) => {
    const places = given.map((value) => `$${values.push(value)}`);
    conditions.push(condition(...places));
  };
  // First, because the chunk has it as a fixed parameter.
  if (filter.clientSessionId !== undefined) where((place) => `client_session_id = ${place}`, filter.clientSessionId);
  where((start, end) => `started_at_ms >= ${start} AND started_at_ms < ${end}`, range.startMs, range.endMs);
  if (filter.model !== undefined) where((place) => `model = ${place}`, filter.model);
  conditions.push(...pathConditions(filter, values, { unnamed: true }));
  if (filter.status !== undefined) where((place) => `status = ${place}::ledger.charge_status`, filter.status);
  if (filter.tag !== undefined)
    where((name, value) => `tags ->> ${name} = ${value}`, filter.tag.name, filter.tag.value);
  // Not a named statement: the best plan depends on the range. The inner limit bounds what is read.
  const { rows } = await db.query<ChargeRow>(
    `SELECT * FROM (SELECT ${CHARGE_COLUMNS} ${chunkOf(source)} LIMIT ${CHUNK}) AS chunk
     WHERE ${conditions.join(' AND ')} ORDER BY request_id DESC LIMIT ${limit}`,
    values,
  );
  return rows.map(chargeFromRow);
}

/** The last id of the chunk; undefined when the chunk reaches the end of the span. */
async function chunkEnd(db: Queryable, search: ChargeSearch, span: IdSpan): Promise<string | undefined> {
  const source = sourceOf(search);
  const { rows } = await db.query<{ request_id: string }>(
    `SELECT request_id ${chunkOf(source)} OFFSET ${CHUNK - 1} LIMIT 1`,
    [search.accountId, span.from, span.before, ...(source === 'client session' ? [search.filter.clientSessionId] : [])],
  );
  return rows[0]?.request_id;
}
