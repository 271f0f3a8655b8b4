import { NO_PRICE_RULES, type PriceRule } from '../billing/price-rules.ts';
import { GRANT_PERIODS, type LimitGrant, NO_GRANTS } from './grants.ts';
import { type LimitNode, NODE_SCOPES, type RateLimits, type SpendingCaps } from './limits.ts';

/** What a part of a record is read as that no encoder wrote. */
export const MALFORMED = 'malformed';

/** 0 for none, the most frequent case. */
export function limitsList(limits: RateLimits | undefined): unknown {
  if (limits === undefined) return 0;
  return [limits.requestsPerMinute ?? null, limits.tokensPerMinute ?? null, limits.openRequests ?? null];
}

export function limitsOf(value: unknown): RateLimits | undefined | typeof MALFORMED {
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
export function rulesList(rules: readonly PriceRule[]): unknown {
  return rules.length === 0 ? 0 : rules.map(({ model, markupPpm }) => [model, markupPpm]);
}

export function rulesOf(value: unknown): readonly PriceRule[] | typeof MALFORMED {
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

/** Amounts are text, because JSON readers may round large numbers; 0 for no caps, the most frequent case. */
export function capsList(caps: SpendingCaps | undefined): unknown {
  if (caps === undefined) return 0;
  return [caps.dayNanos, caps.weekNanos, caps.monthNanos, caps.totalNanos].map((nanos) => nanos?.toString() ?? null);
}

export function capsOf(value: unknown): SpendingCaps | undefined | typeof MALFORMED {
  if (value === 0) return undefined;
  if (!Array.isArray(value) || value.length !== 4) return MALFORMED;
  if (value.some((item: unknown) => item !== null && amountOf(item) === undefined)) return MALFORMED;
  const [dayNanos, weekNanos, monthNanos, totalNanos] = value.map((item: unknown) => amountOf(item));
  return { dayNanos, weekNanos, monthNanos, totalNanos };
}

/** The number of a text of digits; undefined for anything else. */
export function amountOf(value: unknown): bigint | undefined {
  return typeof value === 'string' && /^[0-9]{1,19}$/.test(value) ? BigInt(value) : undefined;
}

export function nodesList(nodes: readonly LimitNode[]): unknown {
  return nodes.map(({ scope, nodeId, name, allowedModels, caps, limits, revision, grants }) => [
    NODE_SCOPES.indexOf(scope),
    nodeId,
    name,
    allowedModels,
    capsList(caps),
    limitsList(limits),
    revision.toString(),
    grantsList(grants),
  ]);
}

export function nodesOf(value: unknown): readonly LimitNode[] | typeof MALFORMED {
  if (!Array.isArray(value)) return MALFORMED;
  const nodes: LimitNode[] = [];
  for (const item of value as readonly unknown[]) {
    const node = nodeOf(item);
    if (node === MALFORMED) return MALFORMED;
    nodes.push(node);
  }
  return nodes;
}

function nodeOf(value: unknown): LimitNode | typeof MALFORMED {
  if (!Array.isArray(value) || value.length !== 8) return MALFORMED;
  const [scopeIndex, nodeId, name, allowedModels, capsValue, limitsValue, revisionText, grantsValue]: unknown[] = value;
  const scope = typeof scopeIndex === 'number' ? NODE_SCOPES[scopeIndex] : undefined;
  const caps = capsOf(capsValue);
  const limits = limitsOf(limitsValue);
  const revision = amountOf(revisionText);
  const grants = grantsOf(grantsValue);
  if (grants === MALFORMED) return MALFORMED;
  if (scope === undefined || revision === undefined || caps === MALFORMED || limits === MALFORMED) return MALFORMED;
  if (typeof nodeId !== 'string' || typeof name !== 'string' || !isStrings(allowedModels)) return MALFORMED;
  return { scope, nodeId, name, caps, limits, allowedModels, revision, grants };
}

/** 0 for none, the most frequent case. */
export function grantsList(grants: readonly LimitGrant[]): unknown {
  if (grants.length === 0) return 0;
  return grants.map(({ period, periodStartMs, sessionNodeId, limitNanos, revision }) => [
    GRANT_PERIODS.indexOf(period),
    periodStartMs,
    sessionNodeId,
    limitNanos.toString(),
    revision.toString(),
  ]);
}

export function grantsOf(value: unknown): readonly LimitGrant[] | typeof MALFORMED {
  if (value === 0) return NO_GRANTS;
  if (!Array.isArray(value)) return MALFORMED;
  const grants: LimitGrant[] = [];
  for (const item of value as readonly unknown[]) {
    if (!Array.isArray(item) || item.length !== 5) return MALFORMED;
    const [index, periodStartMs, sessionNodeId, limitText, revisionText]: unknown[] = item;
    const period = typeof index === 'number' ? GRANT_PERIODS[index] : undefined;
    const [limitNanos, revision] = [amountOf(limitText), amountOf(revisionText)];
    if (period === undefined || limitNanos === undefined || revision === undefined) return MALFORMED;
    if (typeof periodStartMs !== 'number' || typeof sessionNodeId !== 'string') return MALFORMED;
    grants.push({ period, periodStartMs, sessionNodeId, limitNanos, revision });
  }
  return grants;
}

export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
