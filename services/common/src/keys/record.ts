import type { RateLimits as RateLimitsMessage } from '@tollgate/proto/auth';
import { NO_PRICE_RULES, type PriceRule } from '../billing/price-rules.ts';

/** An active key as the cache and the ingress know it. */
export interface CachedKey {
  keyId: string;
  keyName: string;
  accountId: string;
  accountTag: string;
  /** Unix milliseconds; 0: never. */
  expiresAtMs: number;
  /** Ids of the models that the key may call; empty: all. */
  allowedModels: readonly string[];
  /** Undefined: no caps. */
  caps: KeyCaps | undefined;
  /** Grows with every change of the key. */
  revision: bigint;
  /** The account's discount on list prices, parts per million. */
  discountPpm: number;
  /** Prices of the account's own; empty: list prices. */
  priceRules: readonly PriceRule[];
  /** Grows with every change of the account. */
  accountRevision: bigint;
  /** Limits of the key, and of all keys of the account together; undefined: no limits. */
  limits: RateLimits | undefined;
  accountLimits: RateLimits | undefined;
  /** Recorded on each charge of the key. */
  tags: Readonly<Record<string, string>>;
}

/** Limits of requests; an absent one does not limit. */
export interface RateLimits {
  requestsPerMinute?: number | undefined;
  /** Input and output together. */
  tokensPerMinute?: number | undefined;
  /** Requests open at the same time. */
  openRequests?: number | undefined;
}

/** The limits of a message of auth. */
export function toRateLimits(message: RateLimitsMessage | undefined): RateLimits | undefined {
  if (message === undefined) return undefined;
  const { requestsPerMinute, tokensPerMinute, openRequests } = message;
  return {
    requestsPerMinute: requestsPerMinute === undefined ? undefined : Number(requestsPerMinute),
    tokensPerMinute: tokensPerMinute === undefined ? undefined : Number(tokensPerMinute),
    openRequests,
  };
}

/** The maximum a key may spend in a day or month of UTC, or in total, nano-dollars. */
export interface KeyCaps {
  dayNanos?: bigint | undefined;
  monthNanos?: bigint | undefined;
  totalNanos?: bigint | undefined;
}

/** A key as Redis keeps it. */
export interface KeyEntry {
  key: CachedKey;
  /** Unix milliseconds from before the database was read. */
  readAtMs: number;
}

/** The version of the format; records of another version are ignored. */
const FORMAT = 5;

/** The text of a record. The account tag is left out because the entry's name holds it. */
export function encodeRecord({ key, readAtMs }: KeyEntry): string {
  return JSON.stringify([
    FORMAT,
    readAtMs,
    key.keyId,
    key.keyName,
    key.accountId,
    key.expiresAtMs,
    key.allowedModels,
    capsText(key.caps),
    key.revision.toString(),
    key.discountPpm,
    key.accountRevision.toString(),
    limitsList(key.limits),
    limitsList(key.accountLimits),
    key.tags,
    rulesList(key.priceRules),
  ]);
}

/**
 * Reads what `encodeRecord` wrote; undefined for anything else, such as another format. By hand, without a schema, because
 * it runs for every request.
 */
export function decodeRecord(text: string, accountTag: string): KeyEntry | undefined {
  const values = parseJson(text);
  if (!Array.isArray(values) || values.length !== 15 || values[0] !== FORMAT) return undefined;
  const [
    ,
    readAtMs,
    keyId,
    keyName,
    accountId,
    expiresAtMs,
    allowedModels,
    capsValue,
    revisionText,
    discountPpm,
  ]: unknown[] = values;
  if (typeof readAtMs !== 'number') return undefined;
  if (typeof keyId !== 'string' || typeof keyName !== 'string' || typeof accountId !== 'string') return undefined;
  if (typeof expiresAtMs !== 'number' || !isStrings(allowedModels)) return undefined;
  if (typeof discountPpm !== 'number') return undefined;
  const caps = capsOf(capsValue);
  const revision = amountOf(revisionText);
  const [accountRevisionText, limitsValue, accountLimitsValue, tags, rulesValue]: unknown[] = values.slice(10);
  const accountRevision = amountOf(accountRevisionText);
  const limits = limitsOf(limitsValue);
  const accountLimits = limitsOf(accountLimitsValue);
  const priceRules = rulesOf(rulesValue);
  if (caps === MALFORMED || limits === MALFORMED || accountLimits === MALFORMED) return undefined;
  if (priceRules === MALFORMED) return undefined;
  if (revision === undefined || accountRevision === undefined || !isTexts(tags)) return undefined;
  const key = {
    keyId,
    keyName,
    accountId,
    accountTag,
    expiresAtMs,
    allowedModels,
    caps,
    revision,
    discountPpm,
    priceRules,
    accountRevision,
    limits,
    accountLimits,
    tags,
  };
  return { key, readAtMs };
}

const MALFORMED = 'malformed';

/** 0 for none, the most frequent case. */
function limitsList(limits: RateLimits | undefined): unknown {
  if (limits === undefined) return 0;
  return [limits.requestsPerMinute ?? null, limits.tokensPerMinute ?? null, limits.openRequests ?? null];
}

function limitsOf(value: unknown): RateLimits | undefined | typeof MALFORMED {
  if (value === 0) return undefined;
  if (!Array.isArray(value) || value.length !== 3) return MALFORMED;
  if (!value.every((item: unknown) => item === null || (Number.isSafeInteger(item) && Number(item) > 0)))
    return MALFORMED;
  const [requestsPerMinute, tokensPerMinute, openRequests] = value.map((item: unknown) =>
    typeof item === 'number' ? item : undefined,
  );
  return { requestsPerMinute, tokensPerMinute, openRequests };
}

/** 0 for none, the most frequent case. */
function rulesList(rules: readonly PriceRule[]): unknown {
  return rules.length === 0 ? 0 : rules.map(({ model, markupPpm }) => [model, markupPpm]);
}

function rulesOf(value: unknown): readonly PriceRule[] | typeof MALFORMED {
  if (value === 0) return NO_PRICE_RULES;
  if (!Array.isArray(value)) return MALFORMED;
  const rules: PriceRule[] = [];
  for (const item of value as readonly unknown[]) {
    if (!Array.isArray(item) || item.length !== 2) return MALFORMED;
    const [model, markupPpm]: unknown[] = item;
    if (typeof model !== 'string' || typeof markupPpm !== 'number' || !Number.isInteger(markupPpm)) return MALFORMED;
    rules.push({ model, markupPpm });
  }
  return rules;
}

/** Amounts are text, because JSON readers may round large numbers; 0 for a key without caps, the most frequent case. */
function capsText(caps: KeyCaps | undefined): unknown {
  if (caps === undefined) return 0;
  return [caps.dayNanos, caps.monthNanos, caps.totalNanos].map((nanos) => nanos?.toString() ?? null);
}

function capsOf(value: unknown): KeyCaps | undefined | typeof MALFORMED {
  if (value === 0) return undefined;
  if (!Array.isArray(value) || value.length !== 3) return MALFORMED;
  const [dayNanos, monthNanos, totalNanos] = value.map((item: unknown) => (item === null ? undefined : amountOf(item)));
  if (value.some((item: unknown) => item !== null && amountOf(item) === undefined)) return MALFORMED;
  return { dayNanos, monthNanos, totalNanos };
}

function amountOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^[0-9]{1,19}$/.test(value) ? BigInt(value) : undefined;
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isTexts(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((item) => typeof item === 'string')
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
