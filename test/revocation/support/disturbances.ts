/**
 * How something is disturbed: as a link's state says, by one piece that is held, a Redis that is restarted, a process that
 * is killed, or a clock that is moved.
 */
export type DisturbanceKind = 'cut' | 'stalled' | 'slow' | 'held' | 'restarted' | 'killed' | 'clock moved';

/** A time during which something failed or was delayed. */
export interface Disturbance {
  kind: DisturbanceKind;
  /** A link's name such as `ingress-2>auth`, a process such as `redis` or `auth-2`, or `clock of` one or the `database`. */
  what: string;
  from: number;
  /** Infinity while it lasts. */
  to: number;
}

/** What was disturbed and when. */
export class Disturbances {
  readonly all: Disturbance[] = [];
  /** When Redis came back with earlier content. */
  readonly restores: number[] = [];
  /** How often Redis was emptied while it ran. */
  flushes = 0;

  /** Notes that a disturbance begins. @returns to be called when it ends */
  begin(what: string, kind: DisturbanceKind): () => void {
    const disturbance = { kind, what, from: performance.now(), to: Number.POSITIVE_INFINITY };
    this.all.push(disturbance);
    return () => {
      disturbance.to = performance.now();
    };
  }

  /** Whether anything of these names was disturbed between two moments, or up to `afterMs` before. */
  any(matches: (what: string) => boolean, from: number, to: number, afterMs = 0): boolean {
    return this.all.some(
      (disturbance) => disturbance.from <= to && disturbance.to + afterMs >= from && matches(disturbance.what),
    );
  }
}
