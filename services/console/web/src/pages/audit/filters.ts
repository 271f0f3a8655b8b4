import { useZone } from '../../format/zone.ts';
import { timeZone, useListRange } from '../../url/range.ts';
import { useSearchParams } from '../../url/search-params.ts';

/** Range and filters of an audit log, from its address. */
export function useAuditFilters() {
  const [range, setRange] = useListRange('30d');
  const [{ account, actor, target, action }] = useSearchParams();
  const [zone] = useZone();
  return {
    range,
    account,
    setRange,
    query: {
      start: range.start,
      end: range.end,
      // The name of an export has the days of the zone.
      time_zone: timeZone(zone),
      ...(actor === undefined ? {} : { actor_id: actor }),
      ...(target === undefined ? {} : { target_id: target }),
      ...(action === undefined ? {} : { action }),
    },
  };
}
export type AuditFilters = ReturnType<typeof useAuditFilters>;
