import type { Input, Item } from '../../api/client.ts';
import type { Params } from '../../url/search-params.ts';
import { type Place, placeQuery, readPlace } from '../shared/place.ts';

export type RequestRow = Item<'GET /accounts/{account_id}/requests'>;
type Query = NonNullable<Input<'GET /accounts/{account_id}/requests'>['query']>;

export const STATUSES = ['completed', 'cancelled', 'failed', 'refused'] as const;
export type Status = (typeof STATUSES)[number];

/** The filters of the list, beside the range. */
export interface RequestFilters extends Place {
  model: string | null;
  keyId: string | null;
  status: Status | null;
  /** As `name:value`. */
  tag: string | null;
  session: string | null;
}

/** The filters that an address names. What the API would refuse is left out. */
export function readFilters(params: Params): RequestFilters {
  return {
    ...readPlace(params),
    model: shorterThan(201, params['model']),
    keyId: /^[0-9a-f-]{36}$/i.test(params['key'] ?? '') ? (params['key'] ?? null) : null,
    status: STATUSES.find((each) => each === params['status']) ?? null,
    tag: /^[^:]+:./.test(params['tag'] ?? '') ? shorterThan(331, params['tag']) : null,
    session: shorterThan(101, params['session']),
  };
}

function shorterThan(length: number, text: string | undefined): string | null {
  return text === undefined || text === '' || text.length >= length ? null : text;
}

/** The API's query of a range and filters. */
export function toQuery(range: { start: string; end: string }, filters: RequestFilters): Query {
  const { model, keyId, status, tag, session } = filters;
  return {
    start: range.start,
    end: range.end,
    ...(model === null ? {} : { model }),
    ...(keyId === null ? {} : { key_id: keyId }),
    ...(status === null ? {} : { status }),
    ...(tag === null ? {} : { tag }),
    ...(session === null ? {} : { session }),
    ...placeQuery(filters),
  };
}

export function isFiltered(filters: RequestFilters): boolean {
  return Object.values(filters).some((value) => value !== null);
}

/** Whether a text can be the id of a request or a trace. */
export function isRequestOrTraceId(text: string): boolean {
  const id = text.trim();
  return /^[0-9a-f]{32}$/i.test(id) || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id);
}
