import type { KnownValue, Sent, Tally } from './book.ts';
import type { Disturbances } from './disturbances.ts';

/** More than any overlap that ends within a run, and than any move of a clock. */
const CLOCKS_APART_MS = 10_000;

/** A promise that was broken. */
export type BrokenPromise =
  /** A request that started after the call that forbids it had returned was accepted, or got more. */
  | 'dead keys stay dead'
  /** A valid key was refused. */
  | 'valid keys are served'
  /** A 503 although auth could be reached. */
  | 'available while auth is'
  /** More requests were accepted than a limit allows. */
  | 'limits hold'
  /** An unexplained response. */
  | 'responses are explained';

export interface Finding {
  promise: BrokenPromise;
  /** The ingress that responded; undefined for a limit. */
  ingress: string | undefined;
  text: string;
}

export interface JudgeOptions {
  sent: readonly Sent[];
  tallies: readonly Tally[];
  disturbances: Disturbances;
  /** How long after a connection to auth is repaired 503 may still be returned. */
  graceMs: number;
}

/** Compares all responses with the state of the keys while their requests were in progress. */
export function judge({ sent, tallies, disturbances, graceMs }: JudgeOptions): Finding[] {
  const findings: Finding[] = [];
  for (const one of sent) {
    const breach = breachOf(one, disturbances, graceMs);
    if (breach !== undefined)
      findings.push({ promise: breach[0], ingress: one.ingress, text: describe(one, breach[1]) });
  }
  for (const { value, accepted, max } of tallies) {
    const text = `${accepted} requests of ${nameOf(value)} were accepted, of which its limit lets ${max} through`;
    if (accepted > max) findings.push({ promise: 'limits hold', ingress: undefined, text });
  }
  return findings;
}

/** Whether 503 is correct: the ingress, auth, Postgres or a connection is down, or was until shortly before. */
export function mayBeUnavailable(
  { ingress, beganAt, endedAt }: Sent,
  disturbances: Disturbances,
  graceMs: number,
): boolean {
  const isNeeded = (what: string) =>
    what === ingress || what === 'postgres' || /^auth(-\d+)?$/.test(what) || what.startsWith(`${ingress}>auth`);
  return disturbances.any(isNeeded, beganAt, endedAt, graceMs);
}

/** Whether an overlap ends around this time, by a clock that was moved since the overlap was requested. */
function isEndUnsure({ value: { endsAt }, beganAt }: Sent, disturbances: Disturbances): boolean {
  if (endsAt === undefined || Math.abs(beganAt - endsAt) > CLOCKS_APART_MS) return false;
  const isClock = (what: string) => what.startsWith('clock of ');
  return disturbances.any(isClock, endsAt - CLOCKS_APART_MS, endsAt + CLOCKS_APART_MS);
}

/** Milliseconds from the return of the call that forbade a request to its start; undefined if none had returned. */
export function forbiddenFor({ value, beganAt, endedAt }: Sent): number | undefined {
  const since = [value.good, value.key.account.active]
    .filter((timeline) => !timeline.between(beganAt, endedAt).includes(true))
    .map((timeline) => beganAt - (timeline.settledBy(beganAt)?.to ?? Number.NEGATIVE_INFINITY));
  return since.length === 0 ? undefined : Math.max(...since);
}

type Breach = readonly [BrokenPromise, string];

function breachOf(one: Sent, disturbances: Disturbances, graceMs: number): Breach | undefined {
  const { value, beganAt, endedAt, status } = one;
  if (status === undefined) {
    const isKilled = disturbances.any((what) => what === one.ingress, beganAt, endedAt);
    return isKilled ? undefined : ['responses are explained', 'the connection broke'];
  }
  const good = value.good.between(beganAt, endedAt);
  const active = value.key.account.active.between(beganAt, endedAt);
  if (status === 401) {
    const isRefusable = good.includes(false) || active.includes(false) || isEndUnsure(one, disturbances);
    return isRefusable ? undefined : ['valid keys are served', 'the key is valid'];
  }
  if (status === 503) {
    return mayBeUnavailable(one, disturbances, graceMs)
      ? undefined
      : ['available while auth is', 'auth could be reached'];
  }
  if (!good.includes(true) && !isEndUnsure(one, disturbances)) return ['dead keys stay dead', 'the key was dead'];
  if (!active.includes(true)) return ['dead keys stay dead', 'the account was suspended'];
  return restrictionBreach(one);
}

/** The problem of a response to a correctly accepted key. */
function restrictionBreach({ value, ask, beganAt, endedAt, status, error }: Sent): Breach | undefined {
  const { key } = value;
  const limited = key.limited.between(beganAt, endedAt);
  if (status === 429) {
    return limited.includes(true) ? undefined : ['valid keys are served', 'the key had no limit'];
  }
  if (ask.kind !== 'chat')
    return status === 200 ? undefined : ['responses are explained', 'nothing explains this response'];
  const permits = key.models
    .between(beganAt, endedAt)
    .map((models) => models.length === 0 || models.includes(ask.model));
  const capped = key.capped.between(beganAt, endedAt);
  if (status === 200) {
    if (!permits.includes(true)) return ['dead keys stay dead', 'the model had been removed from the key'];
    return capped.includes(false) ? undefined : ['dead keys stay dead', 'the key had nothing left to spend'];
  }
  if (error?.type === 'model_not_supported') {
    return permits.includes(false) ? undefined : ['valid keys are served', 'the key may call the model'];
  }
  if (error?.type === 'insufficient_balance') {
    return capped.includes(true) ? undefined : ['valid keys are served', 'the key had no cap'];
  }
  return ['responses are explained', 'nothing explains this response'];
}

function describe(one: Sent, why: string): string {
  const requested = one.ask.kind === 'chat' ? `a call of ${one.ask.model}` : one.ask.kind;
  const response = one.status === undefined ? 'broke off' : `got ${one.status}`;
  const error = one.error === undefined ? '' : ` (${one.error.type}: ${one.error.message})`;
  const times = `${one.beganAt.toFixed(1)} to ${one.endedAt.toFixed(1)} ms`;
  return `${one.ingress}: ${requested} with ${nameOf(one.value)} ${response}${error} from ${times}, though ${why}`;
}

/** Names a key without revealing it. */
function nameOf(value: KnownValue): string {
  return `key ${value.key.keyId} (…${value.text.slice(-4)})`;
}
