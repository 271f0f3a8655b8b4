import type { UsageFilter } from './usage.ts';

/**
 * SQL: what a filter demands of a row with key_id and node_ids. Adds the values that it names.
 *
 * @param unnamed whether what names no nodes is the default project's, which has the id of its account
 */
export function pathConditions(
  { keyIds, keysAndBelow, projectIds, ownerIds }: UsageFilter,
  values: unknown[],
  { unnamed }: { unnamed: boolean },
): string[] {
  const conditions: string[] = [];
  const where = (condition: (ids: string) => string, ids: readonly string[] | undefined) => {
    if (ids !== undefined) conditions.push(condition(`$${values.push(ids)}::uuid[]`));
  };
  where((ids) => `key_id = ANY (${ids})`, keyIds);
  where((ids) => `(key_id = ANY (${ids}) OR node_ids::uuid[] && ${ids})`, keysAndBelow);
  where((ids) => `node_ids::uuid[] && ${ids}`, ownerIds);
  where(
    (ids) =>
      unnamed
        ? `(node_ids::uuid[] && ${ids} OR (node_ids IS NULL AND account_id = ANY (${ids})))`
        : `node_ids::uuid[] && ${ids}`,
    projectIds,
  );
  return conditions;
}
