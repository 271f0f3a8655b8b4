import { DeploymentHealth } from './deployment-health.ts';
import { type CountedOutcome, OutcomeCounts } from './outcome-counts.ts';

/** A deployment that left or came back into rotation. */
export interface HealthChange {
  deploymentId: string;
  health: DeploymentHealth;
}

/** An outcome as ingresses report it. */
export interface RecordedOutcome extends CountedOutcome {
  deploymentId: string;
  /** Durations of later calls with the same outcome. */
  furtherDurationsMs: readonly number[];
}

/** What is known of a deployment. */
interface Entry {
  health: DeploymentHealth;
  counts: OutcomeCounts;
}

/** The health of all deployments of the catalogue. */
export class HealthBoard {
  #deployments = new Map<string, Entry>();

  /** Sets the deployments. Those that stay keep their health. */
  setDeployments(ids: Iterable<string>): void {
    const kept = new Map<string, Entry>();
    for (const id of ids) {
      kept.set(id, this.#deployments.get(id) ?? { health: new DeploymentHealth(), counts: new OutcomeCounts() });
    }
    this.#deployments = kept;
  }

  /** Counts an outcome of one or several calls; unknown deployments are ignored. */
  record({ deploymentId, furtherDurationsMs, ...first }: RecordedOutcome, nowMs: number): HealthChange | undefined {
    const entry = this.#deployments.get(deploymentId);
    if (entry === undefined) return undefined;
    const { health, counts } = entry;
    const before = health.inRotation;
    const recordCall = (call: CountedOutcome) => {
      counts.record(call, nowMs);
      health.record(call.kind, call.durationMs, nowMs);
    };
    recordCall(first);
    for (const durationMs of furtherDurationsMs) recordCall({ ...first, durationMs });
    return health.inRotation === before ? undefined : { deploymentId, health };
  }

  /** Returns deployments to rotation whose pause is over. */
  advance(nowMs: number): HealthChange[] {
    const changes: HealthChange[] = [];
    for (const [deploymentId, { health }] of this.#deployments) {
      const before = health.inRotation;
      health.advance(nowMs);
      if (health.inRotation !== before) changes.push({ deploymentId, health });
    }
    return changes;
  }

  /** When the next deployment returns; undefined when all are in rotation. */
  nextReturnMs(): number | undefined {
    let next: number | undefined;
    for (const { health } of this.#deployments.values()) {
      const { returnsAtMs } = health;
      if (returnsAtMs !== undefined && (next === undefined || returnsAtMs < next)) next = returnsAtMs;
    }
    return next;
  }

  has(deploymentId: string): boolean {
    return this.#deployments.has(deploymentId);
  }

  /** Whether a deployment is in rotation; an unknown one is. */
  inRotation(deploymentId: string): boolean {
    return this.#deployments.get(deploymentId)?.health.inRotation ?? true;
  }

  /** What is known of a deployment of the catalogue. */
  get(deploymentId: string): Readonly<Entry> | undefined {
    return this.#deployments.get(deploymentId);
  }

  entries(): Iterable<[string, Readonly<Entry>]> {
    return this.#deployments.entries();
  }
}
