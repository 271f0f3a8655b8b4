import { seeded } from '../random/random.ts';

/** A target: an ingress or ledger by number, from 0, or the database. */
export type Victim = { part: 'ingress' | 'ledger'; number: number } | { part: 'postgres' };

/** One killed process, and the delay after the one before. */
export interface Blow {
  victim: Victim;
  afterMs: number;
}

/** A kill of a process that is at work when a restarted ingress replays its journal. */
export type ReplayTarget = 'ingress' | 'ledger' | 'postgres';

/** Processes that are killed together and restarted before the next strike. */
export interface Strike {
  kind: StrikeKind;
  /** Time of undisturbed load before it. */
  pauseMs: number;
  blows: Blow[];
  /** Time until the killed ones are restarted. */
  downMs: number;
  /** Killed as soon as the restarted ingress of the first kill replays its journal. */
  duringReplay: ReplayTarget | undefined;
}

export const STRIKE_KINDS = [
  'an ingress',
  'a ledger',
  'Postgres',
  'a ledger right after an ingress',
  'a ledger and Postgres at once',
  'all ledgers at once',
  'both ingresses at once',
  'an ingress, and again while it replays',
  'an ingress, and a ledger while it replays',
  'an ingress, and Postgres while it replays',
  'an ingress, a ledger and Postgres at once',
] as const;
export type StrikeKind = (typeof STRIKE_KINDS)[number];

export interface PlanOptions {
  seed: number;
  /** Number of kills at which the strikes end. */
  kills: number;
  ingresses: number;
  ledgers: number;
}

/** The strikes of a seed: each kind occurs once before any repeats. */
export function planStrikes({ seed, kills, ingresses, ledgers }: PlanOptions): Strike[] {
  const random = seeded(seed);
  const strikes: Strike[] = [];
  let planned = 0;
  while (planned < kills) {
    for (const kind of random.shuffled(STRIKE_KINDS)) {
      if (planned >= kills) break;
      const ingress: Victim = { part: 'ingress', number: random.below(ingresses) };
      const ledger: Victim = { part: 'ledger', number: random.below(ledgers) };
      const all = (part: 'ingress' | 'ledger', count: number): Blow[] =>
        Array.from({ length: count }, (_, number) => ({ victim: { part, number }, afterMs: random.below(3) }));
      const struck = strikeOf(kind, {
        ingress: { victim: ingress, afterMs: 0 },
        ledger: { victim: ledger, afterMs: 0 },
        postgres: { victim: { part: 'postgres' }, afterMs: 0 },
        ingresses: all('ingress', ingresses),
        ledgers: all('ledger', ledgers),
        shortly: random.between(1, 150),
      });
      strikes.push({ kind, ...struck, pauseMs: random.between(300, 1_200), downMs: random.between(0, 900) });
      planned += killsOf(struck);
    }
  }
  return strikes;
}

/** How many processes a strike kills. */
export function killsOf({ blows, duringReplay }: Pick<Strike, 'blows' | 'duringReplay'>): number {
  return blows.length + (duringReplay === undefined ? 0 : 1);
}

interface Blows {
  ingress: Blow;
  ledger: Blow;
  postgres: Blow;
  ingresses: Blow[];
  ledgers: Blow[];
  shortly: number;
}

function strikeOf(kind: StrikeKind, blows: Blows): Pick<Strike, 'blows' | 'duringReplay'> {
  const { ingress, ledger, postgres } = blows;
  switch (kind) {
    case 'an ingress':
      return { blows: [ingress], duringReplay: undefined };
    case 'a ledger':
      return { blows: [ledger], duringReplay: undefined };
    case 'Postgres':
      return { blows: [postgres], duringReplay: undefined };
    case 'a ledger right after an ingress':
      return { blows: [ingress, { ...ledger, afterMs: blows.shortly }], duringReplay: undefined };
    case 'a ledger and Postgres at once':
      return { blows: [ledger, postgres], duringReplay: undefined };
    case 'all ledgers at once':
      return { blows: blows.ledgers, duringReplay: undefined };
    case 'both ingresses at once':
      return { blows: blows.ingresses, duringReplay: undefined };
    case 'an ingress, and again while it replays':
      return { blows: [ingress], duringReplay: 'ingress' };
    case 'an ingress, and a ledger while it replays':
      return { blows: [ingress], duringReplay: 'ledger' };
    case 'an ingress, and Postgres while it replays':
      return { blows: [ingress], duringReplay: 'postgres' };
    case 'an ingress, a ledger and Postgres at once':
      return { blows: [ingress, ledger, postgres], duringReplay: undefined };
    default:
      return kind satisfies never;
  }
}
