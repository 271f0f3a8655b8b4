import type { Item } from '../../../api/client.ts';
import { paidMoney } from '../../../format/money.ts';
import { compactCount, plural } from '../../../format/number.ts';
import { setterLabel } from '../../keys/caps.ts';
import type { Limits } from './draft.ts';

type AppliedCaps = Item<'GET /accounts/{account_id}/keys'>['applied_caps'];
type AppliedCap = NonNullable<AppliedCaps['day']>;

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
  const parts = SPANS.flatMap(([period, span]) => {
    const cap = caps[period];
    return cap === null ? [] : [`${paidMoney(cap)}${span}`];
  });
  return <Parts parts={parts} isWhole={isWhole} />;
}

/** Caps in force, and which are defaults of what is above. */
export function AppliedCapsCell({ caps }: { caps: AppliedCaps }) {
  const parts = SPANS.flatMap(([period, span]) => {
    const cap = caps[period];
    return cap === null ? [] : [appliedText(cap, span)];
  });
  return <Parts parts={parts} isWhole={false} />;
}

/** A cap in force, and what set it unless that is its own. */
export function AppliedCapText({ cap }: { cap: AppliedCap }) {
  return appliedText(cap, '');
}

const SPANS = [
  ['day', ' a day'],
  ['week', ' a week'],
  ['month', ' a month'],
  ['total', ' in total'],
] as const;

function appliedText({ limit, set_by }: AppliedCap, span: string): string {
  const setter = setterLabel(set_by);
  return `${paidMoney(limit)}${span}${setter === null ? '' : ` (${setter.toLowerCase()})`}`;
}

/** The first one, and all on hover; or all, where there is room. */
function Parts({ parts, isWhole }: { parts: readonly string[]; isWhole: boolean }) {
  if (parts.length === 0) return <span className="muted">None</span>;
  if (isWhole) return parts.join(', ');
  return <span data-tip={parts.join(', ')}>{parts.length === 1 ? parts[0] : `${parts[0]}, …`}</span>;
}
