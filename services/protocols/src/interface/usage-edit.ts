import type { Edit } from '../json/splice.ts';
import type { FinalUsage } from './protocol.ts';
import { costDetailEdits, type ReportField } from './upstream-cost.ts';

/**
 * Adds the cost to the upstream's usage report, in place of what the upstream itself charges, or replaces an estimated
 * report.
 *
 * @param field the member of the response that holds the report
 */
export function usageEdits(
  field: ReportField,
  final: FinalUsage,
  encodeUsage: (usage: FinalUsage['usage'], cost: string) => string,
): Edit[] {
  return final.estimated
    ? [{ op: 'set', path: [field], json: encodeUsage(final.usage, final.cost) }]
    : [{ op: 'set', path: [field, 'cost'], json: final.cost }, ...costDetailEdits(field)];
}
