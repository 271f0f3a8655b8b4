import { paidMoney } from '../../../format/money.ts';
import { compactCount, plural } from '../../../format/number.ts';
import type { Limits } from './draft.ts';

/** The models that are allowed. */
export function ModelsCell({ ids, isWhole = false }: { ids: readonly string[]; isWhole?: boolean }) {
  if (ids.length === 0) return <span className="muted">All</span>;
  if (isWhole) return ids.join(', ');
  return <span data-tip={ids.join(', ')}>{ids.length === 1 ? ids[0] : plural(ids.length, 'model')}</span>;
}

/** Limits of the rate and of open requests. */
export function LimitsCell({ limits, isWhole = false }: { limits: Limits['limits']; isWhole?: boolean }) {
  const parts = [
    ...(limits.requests_per_minute === null ? [] : [`${compactCount(limits.requests_per_minute)} req/min`]),
    ...(limits.tokens_per_minute === null ? [] : [`${compactCount(limits.tokens_per_minute)} tok/min`]),
    ...(limits.open_requests === null ? [] : [`${compactCount(limits.open_requests)} open`]),
  ];
  return <Parts parts={parts} isWhole={isWhole} />;
}

/** Caps as `$10 a month`. */
export function CapsCell({ caps, isWhole = false }: { caps: Limits['caps']; isWhole?: boolean }) {
  const { day, week, month, total } = caps;
  const parts = [
    ...(day === null ? [] : [`${paidMoney(day)} a day`]),
    ...(week === null ? [] : [`${paidMoney(week)} a week`]),
    ...(month === null ? [] : [`${paidMoney(month)} a month`]),
    ...(total === null ? [] : [`${paidMoney(total)} in total`]),
  ];
  return <Parts parts={parts} isWhole={isWhole} />;
}

/** The first one, and all on hover; or all, where there is room. */
function Parts({ parts, isWhole }: { parts: readonly string[]; isWhole: boolean }) {
  if (parts.length === 0) return <span className="muted">None</span>;
  if (isWhole) return parts.join(', ');
  return <span data-tip={parts.join(', ')}>{parts.length === 1 ? parts[0] : `${parts[0]}, …`}</span>;
}
