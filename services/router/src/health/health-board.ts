import type { OutcomeKind } from '@tollgate/proto/router';
import { DeploymentHealth } from './deployment-health.ts';

/** A deployment that left or came back into rotation. */
export interface HealthChange {
  deploymentId: string;
  health: DeploymentHealth;
}

/** The health of all deployments of the catalogue. */
export class HealthBoard {
  #deployments = new Map<string, DeploymentHealth>();

  /** Sets the deployments. Those that stay keep their health. */
  setDeployments(ids: Iterable<string>): void {
    const kept = new Map<string, DeploymentHealth>();
    for (const id of ids) kept.set(id, this.#deployments.get(id) ?? new DeploymentHealth());
    this.#deployments = kept;
  }

  /** Counts an outcome; those of unknown deployments are ignored. */
  record(deploymentId: string, kind: OutcomeKind, durationMs: number, nowMs: number): HealthChange | undefined {
    const health = this.#deployments.get(deploymentId);
    if (health === undefined) return undefined;
    const before = health.inRotation;
    health.record(kind, durationMs, nowMs);
    return health.inRotation === before ? undefined : { deploymentId, health };
  }

  /** Returns deployments to rotation whose pause is over. */
  advance(nowMs: number): HealthChange[] {
    const changes: HealthChange[] = [];
    for (const [deploymentId, health] of this.#deployments) {
      const before = health.inRotation;
      health.advance(nowMs);
      if (health.inRotation !== before) changes.push({ deploymentId, health });
    }
    return changes;
  }

  /** When the next deployment returns; undefined when all are in rotation. */
  nextReturnMs(): number | undefined {
    let next: number | undefined;
    for (const { returnsAtMs } of this.#deployments.values()) {
      if (returnsAtMs !== undefined && (next === undefined || returnsAtMs < next)) next = returnsAtMs;
    }
    return next;
  }

  has(deploymentId: string): boolean {
    return this.#deployments.has(deploymentId);
  }

  /** Whether a deployment is in rotation; an unknown one is. */
  inRotation(deploymentId: string): boolean {
    return this.#deployments.get(deploymentId)?.inRotation ?? true;
  }

  entries(): Iterable<[string, DeploymentHealth]> {
    return this.#deployments.entries();
  }
}
