/**
 * Kind of a disturbance: a state of a link, a message that is held, a restarted Redis, a killed process, or a moved
 * clock.
 */
export type DisturbanceKind = 'cut' | 'stalled' | 'slow' | 'held' | 'restarted' | 'killed' | 'clock moved';

/** A time during which something failed or was delayed. */
export interface Disturbance {
  kind: DisturbanceKind;
  /** A link such as `ingress-2>auth`, a process such as `redis` or `auth-2`, or `clock of` a process or the `database`. */
  what: string;
  from: number;
  /** Infinity until it ends. */
  to: number;
}

/** What was disturbed and when. */
export class Disturbances {
  readonly all: Disturbance[] = [];
  /** When Redis was restored with earlier content. */
  readonly restores: number[] = [];
  /** How often Redis was emptied while it ran. */
  flushes = 0;

  /** Records the start of a disturbance. @returns a function to call when it ends */
  begin(what: string, kind: DisturbanceKind): () => void {
    const disturbance = { kind, what, from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.all.push(disturbance);
    return () => {
      disturbance.to = performance.now();
    };
  }

  /** Whether anything with a matching name was disturbed between two times, or up to `afterMs` before. */
  any(matches: (what: string) => boolean, from: number, to: number, afterMs = 0): boolean {
    return this.all.some(
      (disturbance) => disturbance.from <= to && disturbance.to + afterMs >= from && matches(disturbance.what),
    );
  }
}
