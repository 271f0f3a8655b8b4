import { seeded } from '../random/random.ts';

/** A target: an ingress or ledger by number, from 0, or the database. */
export type Victim = { part: 'ingress' | 'ledger'; number: number } | { part: 'postgres' };

/** One killed process, and the delay after the one before. */
export interface Kill {
  victim: Victim;
  afterMs: number;
}

/** A kill of a process that is at work when a restarted ingress replays its journal. */
export type ReplayTarget = 'ingress' | 'ledger' | 'postgres';

/** Processes that are killed together and restarted before the next round. */
export interface KillRound {
  kind: RoundKind;
  /** Time of undisturbed load before it. */
  pauseMs: number;
  kills: Kill[];
  /** Time until the killed ones are restarted. */
  downMs: number;
  /** Killed as soon as the restarted ingress of the first kill replays its journal. */
  duringReplay: ReplayTarget | undefined;
}

export const ROUND_KINDS = [
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
export type RoundKind = (typeof ROUND_KINDS)[number];

export interface PlanOptions {
  seed: number;
  /** Number of kills at which the rounds end. */
  kills: number;
  ingresses: number;
  ledgers: number;
}

/** The rounds of a seed: each kind occurs once before any repeats. */
export function planKills({ seed, kills, ingresses, ledgers }: PlanOptions): KillRound[] {
  const random = seeded(seed);
  const rounds: KillRound[] = [];
  let planned = 0;
  while (planned < kills) {
    for (const kind of random.shuffled(ROUND_KINDS)) {
      if (planned >= kills) break;
      const ingress: Victim = { part: 'ingress', number: random.below(ingresses) };
      const ledger: Victim = { part: 'ledger', number: random.below(ledgers) };
      const all = (part: 'ingress' | 'ledger', count: number): Kill[] =>
        Array.from({ length: count }, (_, number) => ({ victim: { part, number }, afterMs: random.below(3) }));
      const chosen = roundOf(kind, {
        ingress: { victim: ingress, afterMs: 0 },
        ledger: { victim: ledger, afterMs: 0 },
        postgres: { victim: { part: 'postgres' }, afterMs: 0 },
        ingresses: all('ingress', ingresses),
        ledgers: all('ledger', ledgers),
        shortly: random.between(1, 150),
      });
      rounds.push({ kind, ...chosen, pauseMs: random.between(300, 1_200), downMs: random.between(0, 900) });
      planned += killsOf(chosen);
    }
  }
  return rounds;
}

/** How many processes a round kills. */
export function killsOf({ kills, duringReplay }: Pick<KillRound, 'kills' | 'duringReplay'>): number {
  return kills.length + (duringReplay === undefined ? 0 : 1);
}

interface Candidates {
  ingress: Kill;
  ledger: Kill;
  postgres: Kill;
  ingresses: Kill[];
  ledgers: Kill[];
  shortly: number;
}

function roundOf(kind: RoundKind, candidates: Candidates): Pick<KillRound, 'kills' | 'duringReplay'> {
  const { ingress, ledger, postgres } = candidates;
  switch (kind) {
    case 'an ingress':
      return { kills: [ingress], duringReplay: undefined };
    case 'a ledger':
      return { kills: [ledger], duringReplay: undefined };
    case 'Postgres':
      return { kills: [postgres], duringReplay: undefined };
    case 'a ledger right after an ingress':
      return { kills: [ingress, { ...ledger, afterMs: candidates.shortly }], duringReplay: undefined };
    case 'a ledger and Postgres at once':
      return { kills: [ledger, postgres], duringReplay: undefined };
    case 'all ledgers at once':
      return { kills: candidates.ledgers, duringReplay: undefined };
    case 'both ingresses at once':
      return { kills: candidates.ingresses, duringReplay: undefined };
    case 'an ingress, and again while it replays':
      return { kills: [ingress], duringReplay: 'ingress' };
    case 'an ingress, and a ledger while it replays':
      return { kills: [ingress], duringReplay: 'ledger' };
    case 'an ingress, and Postgres while it replays':
      return { kills: [ingress], duringReplay: 'postgres' };
    case 'an ingress, a ledger and Postgres at once':
      return { kills: [ingress, ledger, postgres], duringReplay: undefined };
    default:
      return kind satisfies never;
  }
}
