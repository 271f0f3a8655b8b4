import type { PriceRule } from '@tollgate/common/billing/price-rules';
import { formatDollars, formatPercent } from '@tollgate/common/money';
import type { AccountRow } from '../store/accounts.ts';
import type { LimitColumns } from '../store/columns.ts';
import type { KeyAttributes } from '../store/keys.ts';
import type { AttributeTexts } from './differences.ts';

/** What separates or quotes items, spaces at an end, and the words for an empty list. */
const AMBIGUOUS = /[,"]|^\s|\s$|^(all|none)$/;

/** The attributes of a key, for the audit log. */
export function keyAttributes(key: KeyAttributes): AttributeTexts {
  return {
    name: key.name,
    expires_at: timeText(key.expires_at),
    allowed_models: listText(key.allowed_models),
    day_cap: dollars(key.day_cap_nanos),
    week_cap: dollars(key.week_cap_nanos),
    month_cap: dollars(key.month_cap_nanos),
    total_cap: dollars(key.total_cap_nanos),
    ...limits(key),
    tags: listText(
      Object.entries(key.tags)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    ),
  };
}

/** The attributes of an account, for the audit log. */
export function accountAttributes(account: AccountRow): AttributeTexts {
  return {
    name: account.name,
    discount: `${formatPercent(account.discount_ppm)} %`,
    ...limits(account),
    price_rules: listText(account.price_rules.map(ruleText)),
    suspension_reason: account.suspension_reason ?? '',
    alert_mails: account.alert_mails ? 'on' : 'off',
  };
}

function ruleText({ model, markupPpm }: PriceRule): string {
  return `${model} ${markupPpm < 0 ? '' : '+'}${formatPercent(markupPpm)} %`;
}

/** A time in UTC, with its milliseconds if it has any; empty for none. */
export function timeText(time: Date | null): string {
  return time === null ? '' : time.toISOString().replace('.000Z', 'Z');
}

/** Items with a comma between them, quoted where the list would read like another one. */
function listText(items: readonly string[]): string {
  return items.map((item) => (AMBIGUOUS.test(item) ? JSON.stringify(item) : item)).join(', ');
}

function limits(row: LimitColumns): AttributeTexts {
  return {
    requests_per_minute: row.requests_per_minute?.toString() ?? '',
    tokens_per_minute: row.tokens_per_minute?.toString() ?? '',
    open_requests: row.open_requests?.toString() ?? '',
  };
}

function dollars(nanos: bigint | null): string {
  return nanos === null ? '' : `$${formatDollars(nanos)}`;
}
