import type { PriceRule } from '../billing/price-rules.ts';
import type { LimitGrant } from './grants.ts';
import type { LimitNode, RateLimits, SpendingCaps } from './limits.ts';
import {
  amountOf,
  capsList,
  capsOf,
  grantsList,
  grantsOf,
  isStrings,
  limitsList,
  limitsOf,
  MALFORMED,
  nodesList,
  nodesOf,
  rulesList,
  rulesOf,
} from './record-parts.ts';

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
  caps: SpendingCaps | undefined;
  /** Grows with every change of the key. */
  revision: bigint;
  /** The maximum that a session may spend, as set for sessions of the key or above it; undefined: no maximum. */
  sessionNanos: bigint | undefined;
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
  /** What its requests pass below the account and above the key, root first: its project, its owner if any, the keys above it. */
  nodes: readonly LimitNode[];
  /** Higher limits of it in windows, and of its sessions. */
  grants: readonly LimitGrant[];
}

/** A key as Redis keeps it. */
export interface KeyEntry {
  key: CachedKey;
  /** Unix milliseconds from before the database was read. */
  readAtMs: number;
}

/** The version of the format; records of another version are ignored. */
const FORMAT = 8;

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
    capsList(key.caps),
    key.revision.toString(),
    key.discountPpm,
    key.accountRevision.toString(),
    limitsList(key.limits),
    limitsList(key.accountLimits),
    key.tags,
    rulesList(key.priceRules),
    nodesList(key.nodes),
    key.sessionNanos?.toString() ?? 0,
    grantsList(key.grants),
  ]);
}

/**
 * Reads what `encodeRecord` wrote; undefined for anything else, such as another format. By hand, without a schema, because
 * it runs for every request.
 */
export function decodeRecord(text: string, accountTag: string): KeyEntry | undefined {
  const values = parseJson(text);
  if (!Array.isArray(values) || values.length !== 18 || values[0] !== FORMAT) return undefined;
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
  const [
    accountRevisionText,
    limitsValue,
    accountLimitsValue,
    tags,
    rulesValue,
    nodesValue,
    sessionValue,
    grantsValue,
  ]: unknown[] = values.slice(10);
  const accountRevision = amountOf(accountRevisionText);
  const limits = limitsOf(limitsValue);
  const accountLimits = limitsOf(accountLimitsValue);
  const priceRules = rulesOf(rulesValue);
  const nodes = nodesOf(nodesValue);
  const sessionNanos = sessionValue === 0 ? undefined : (amountOf(sessionValue) ?? MALFORMED);
  const grants = grantsOf(grantsValue);
  if (caps === MALFORMED || limits === MALFORMED || accountLimits === MALFORMED) return undefined;
  if (priceRules === MALFORMED || nodes === MALFORMED || sessionNanos === MALFORMED) return undefined;
  if (grants === MALFORMED) return undefined;
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
    nodes,
    sessionNanos,
    grants,
  };
  return { key, readAtMs };
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
