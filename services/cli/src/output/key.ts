import { formatDollars } from '@tollgate/common/money';
import { type ApiKey, KeyStatus, type SpendingCaps } from '@tollgate/proto/auth';
import { type Json, jsonTime } from '../terminal/print.ts';
import { limitsJson, limitsText } from './limits.ts';
import { formatTime } from './table.ts';

/** A key's fields as text, in the order of a list's columns. */
export function keyFields(key: ApiKey): [string, string][] {
  const tags = Object.entries(key.tags).map(([name, value]) => `${name}=${value}`);
  return [
    ['id', key.keyId],
    ['name', key.name],
    ['key', `${key.displayPrefix}...${key.lastFour}`],
    ['status', statusName(key)],
    ['created', formatTime(key.createdAtMs)],
    ['expires', formatTime(key.expiresAtMs)],
    ['models', key.allowedModels.length === 0 ? 'all' : key.allowedModels.join(', ')],
    ['caps', capsText(key.caps)],
    ['limits', limitsText(key.limits)],
    ['tags', tags.length === 0 ? 'none' : tags.join(', ')],
    ['last used', formatTime(key.lastUsedAtMs)],
    ['previous value until', key.previousValueUntilMs === 0n ? '-' : formatTime(key.previousValueUntilMs)],
  ];
}

/** A key as JSON. */
export function keyJson(key: ApiKey): { [key: string]: Json } {
  return {
    key_id: key.keyId,
    account_id: key.accountId,
    name: key.name,
    status: statusName(key),
    display_prefix: key.displayPrefix,
    last_four: key.lastFour,
    created_at: jsonTime(key.createdAtMs),
    expires_at: jsonTime(key.expiresAtMs),
    deleted_at: jsonTime(key.deletedAtMs),
    allowed_models: key.allowedModels,
    caps: capsJson(key.caps),
    limits: limitsJson(key.limits),
    tags: key.tags,
    last_used_at: jsonTime(key.lastUsedAtMs),
    previous_value_until: jsonTime(key.previousValueUntilMs),
  };
}

function capsText(caps: SpendingCaps | undefined): string {
  const named: [bigint | undefined, string][] = [
    [caps?.dayNanos, 'a day'],
    [caps?.monthNanos, 'a month'],
    [caps?.totalNanos, 'in total'],
  ];
  const texts = named.flatMap(([nanos, name]) => (nanos === undefined ? [] : [`${formatDollars(nanos)} USD ${name}`]));
  return texts.length === 0 ? 'none' : texts.join(', ');
}

function capsJson(caps: SpendingCaps | undefined): Json {
  if (caps === undefined) return null;
  const dollars = (nanos: bigint | undefined) => (nanos === undefined ? null : formatDollars(nanos));
  return {
    day: dollars(caps.dayNanos),
    month: dollars(caps.monthNanos),
    total: dollars(caps.totalNanos),
    currency: 'USD',
  };
}

function statusName({ status }: ApiKey): string {
  switch (status) {
    case KeyStatus.ACTIVE:
      return 'active';
    case KeyStatus.DELETED:
      return 'deleted';
    case KeyStatus.EXPIRED:
      return 'expired';
    case KeyStatus.UNSPECIFIED:
      return 'unknown';
    default:
      status satisfies never;
      return 'unknown';
  }
}
