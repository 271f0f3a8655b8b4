import type { Edit } from '../json/splice.ts';
import type { FinalUsage } from './protocol.ts';

/**
 * Adds the cost to the upstream's usage report, or replaces an estimated one.
 *
 * @param field the member of the response that holds the report
 */
export function usageEdit(
  field: string,
  final: FinalUsage,
  encodeUsage: (usage: FinalUsage['usage'], cost: string) => string,
): Edit {
  return final.estimated
    ? { op: 'set', path: [field], json: encodeUsage(final.usage, final.cost) }
    : { op: 'set', path: [field, 'cost'], json: final.cost };
}
