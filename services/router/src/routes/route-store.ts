import { hash } from 'node:crypto';
import type { Logger } from '@tollgate/common/logging';
import { type Outcome, RouteTable } from '@tollgate/proto/router';
import type { Routes } from '../catalogue/to-routes.ts';
import type { HealthBoard, HealthChange } from '../health/health-board.ts';

type Listener = () => void;

/** The current route table: the catalogue's routes with the health of deployments. */
export class RouteStore {
  readonly #health: HealthBoard;
  readonly #now: () => number;
  readonly #logger: Logger;
  readonly #listeners = new Set<Listener>();
  #routes: Routes = { providers: [], models: [] };
  #table: RouteTable = { version: '', providers: [], models: [] };
  #returnTimer: NodeJS.Timeout | undefined;

  /** @param now Unix milliseconds */
  constructor(health: HealthBoard, now: () => number, logger: Logger) {
    this.#health = health;
    this.#now = now;
    this.#logger = logger;
  }

  get table(): RouteTable {
    return this.#table;
  }

  /** Calls a listener after every change of the table. Returns a function that removes it. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get listenerCount(): number {
    return this.#listeners.size;
  }

  setRoutes(routes: Routes): void {
    this.#routes = routes;
    this.#health.setDeployments(
      routes.models.flatMap((model) => model.deployments.map((deployment) => deployment.deploymentId)),
    );
    this.#publish();
  }

  /** Counts outcomes, and notifies of a changed table once. */
  record(outcomes: readonly Outcome[]): void {
    const now = this.#now();
    const changes = outcomes.flatMap((outcome) => this.#health.record(outcome, now) ?? []);
    this.#applied(changes);
  }

  close(): void {
    clearTimeout(this.#returnTimer);
    this.#listeners.clear();
  }

  #applied(changes: readonly HealthChange[]): void {
    for (const { deploymentId, health } of changes) this.#log(deploymentId, health);
    if (changes.length > 0) this.#publish();
  }

  #log(deploymentId: string, health: HealthChange['health']): void {
    if (health.inRotation) {
      this.#logger.info({ deployment: deploymentId }, 'a deployment is back in rotation, on trial');
      return;
    }
    const pause = (health.returnsAtMs ?? 0) - this.#now();
    const fields = { deployment: deploymentId, reason: health.reason, pause_ms: pause };
    this.#logger.warn(fields, 'a deployment was taken out of rotation');
  }

  #publish(): void {
    const models = this.#routes.models.map((model) => ({
      ...model,
      deployments: model.deployments.map((deployment) => ({
        ...deployment,
        inRotation: this.#health.inRotation(deployment.deploymentId),
      })),
    }));
    const table = { version: '', providers: this.#routes.providers, models };
    this.#table = { ...table, version: hash('sha256', RouteTable.encode(table).finish()).slice(0, 16) };
    this.#scheduleReturn();
    for (const listener of this.#listeners) listener();
  }

  #scheduleReturn(): void {
    clearTimeout(this.#returnTimer);
    const next = this.#health.nextReturnMs();
    if (next === undefined) return;
    const wait = Math.max(0, next - this.#now());
    this.#returnTimer = setTimeout(() => this.#return(), wait).unref();
  }

  #return(): void {
    this.#applied(this.#health.advance(this.#now()));
    this.#scheduleReturn();
  }
}
