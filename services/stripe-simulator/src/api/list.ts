import type { Collection } from '../state/collection.ts';
import { missing } from './failure.ts';

export interface Paging {
  limit: number;
  starting_after?: string | undefined;
  ending_before?: string | undefined;
  created?: Range | undefined;
}

interface Range {
  gt?: number | undefined;
  gte?: number | undefined;
  lt?: number | undefined;
  lte?: number | undefined;
}

/** A list object: newest first. */
export interface List<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  url: string;
}

/** The page of a list that was asked for. @throws StripeFailure for a cursor that names no object */
export function listOf<T extends { id: string; created: number }>(
  url: string,
  collection: Collection<T>,
  paging: Paging,
  matches: (object: T) => boolean = () => true,
): List<T> {
  const { starting_after, ending_before, created } = paging;
  for (const [param, id] of Object.entries({ starting_after, ending_before })) {
    if (id !== undefined && collection.get(id) === undefined) throw missing('object', id, param, 400);
  }
  const all = collection.all().reverse();
  const after = starting_after === undefined ? 0 : all.findIndex(({ id }) => id === starting_after) + 1;
  const end = ending_before === undefined ? all.length : all.findIndex(({ id }) => id === ending_before);
  const found = all.slice(after, end).filter((object) => isWithin(object.created, created) && matches(object));
  const isBackwards = ending_before !== undefined && starting_after === undefined;
  const data = isBackwards ? found.slice(-paging.limit) : found.slice(0, paging.limit);
  return { object: 'list', data, has_more: found.length > data.length, url };
}

function isWithin(at: number, { gt, gte, lt, lte }: Range = {}): boolean {
  return (
    (gt === undefined || at > gt) &&
    (gte === undefined || at >= gte) &&
    (lt === undefined || at < lt) &&
    (lte === undefined || at <= lte)
  );
}
