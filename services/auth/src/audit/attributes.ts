import type { PriceRule } from '@tollgate/common/billing/price-rules';
import { formatDollars, formatPercent } from '@tollgate/common/money';
import type { AccountRow } from '../store/accounts.ts';
import { type CapColumns, type CapsJson, capsOfJson, type LimitColumns } from '../store/columns.ts';
import type { KeyAttributes, KeyRow } from '../store/keys.ts';
import type { NodeAttributes } from '../store/nodes.ts';
import type { AttributeTexts } from './differences.ts';

/** What separates or quotes items, spaces at an end, and the words for an empty list. */
const AMBIGUOUS = /[,"]|^\s|\s$|^(all|none)$/;

/** The attributes of a key, for the audit log. */
export function keyAttributes(
  key: KeyAttributes & Pick<KeyRow, 'account_id' | 'project_id' | 'project_name' | 'owner'>,
): AttributeTexts {
  return {
    name: key.name,
    project: key.project_id === key.account_id ? '' : key.project_name,
    service_account: key.owner?.kind === 'service_account' ? key.owner.name : '',
    ...commonAttributes(key),
    tags: listText(
      Object.entries(key.tags)
        .map(([name, value]) => `${name}=${value}`)
        .sort(),
    ),
  };
}

/** How many keys below it were deleted with or for a key. */
export function derivedDetails(below: number): AttributeTexts {
  return below === 0 ? {} : { derived_keys: `${below} deleted` };
}

/** The attributes of a project, a service account or a member in a project, for the audit log. */
export function nodeAttributes(node: NodeAttributes): AttributeTexts {
  return {
    name: node.name,
    enabled: node.disabled_at === null ? 'on' : 'off',
    ...commonAttributes(node),
    each_key: capsText(node.each_key_caps),
    each_member: capsText(node.each_member_caps),
    each_service_account: capsText(node.each_service_account_caps),
  };
}

/** What keys and what is above them have in common. */
function commonAttributes(
  row: Pick<KeyAttributes, 'expires_at' | 'allowed_models' | 'each_session_nanos' | 'exceeds_defaults'> &
    CapColumns &
    LimitColumns,
): AttributeTexts {
  return {
    expires_at: timeText(row.expires_at),
    allowed_models: listText(row.allowed_models),
    day_cap: moneyText(row.day_cap_nanos),
    week_cap: moneyText(row.week_cap_nanos),
    month_cap: moneyText(row.month_cap_nanos),
    total_cap: moneyText(row.total_cap_nanos),
    ...limits(row),
    each_session: moneyText(row.each_session_nanos),
    exceeds_defaults: row.exceeds_defaults ? 'yes' : '',
  };
}

/** Caps as a list, such as `day $5, month $100`. */
function capsText(json: CapsJson | null): string {
  const caps = capsOfJson(json);
  const named = {
    day: caps.day_cap_nanos,
    week: caps.week_cap_nanos,
    month: caps.month_cap_nanos,
    total: caps.total_cap_nanos,
  };
  return listText(Object.entries(named).flatMap(([name, cap]) => (cap === null ? [] : [`${name} ${moneyText(cap)}`])));
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

/** An amount, for the audit log; empty for none. */
export function moneyText(nanos: bigint | null): string {
  return nanos === null ? '' : `$${formatDollars(nanos)}`;
}
