import { useListRange } from '../../url/range.ts';
import { useSearchParams } from '../../url/search-params.ts';

/** Range and filters of an audit log, from its address. */
export function useAuditFilters() {
  const [range, setRange] = useListRange('30d');
  const [{ account, actor, target, action }] = useSearchParams();
  return {
    range,
    account,
    setRange,
    query: {
      start: range.start,
      end: range.end,
      ...(actor === undefined ? {} : { actor_id: actor }),
      ...(target === undefined ? {} : { target_id: target }),
      ...(action === undefined ? {} : { action }),
    },
  };
}
export type AuditFilters = ReturnType<typeof useAuditFilters>;
