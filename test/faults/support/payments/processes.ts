import {
  CHECKOUT,
  type Child,
  findFreePorts,
  startChild,
  startWatchdog,
  type Watchdog,
  waitUntil,
} from '@tollgate/local';
import { setClock, shiftableClocks, shiftClock } from '@tollgate/test-support/clock/shift-clock';
import { type OwnPostgres, startPostgres } from '@tollgate/test-support/stores/own-postgres';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';

const READY_MS = 60_000;

export const NAMES = ['payments', 'payments-2', 'ledger', 'postgres'] as const;
export type ProcessName = (typeof NAMES)[number];
type ServiceName = Exclude<ProcessName, 'postgres'>;

export interface Service {
  grpc: number;
  http: number;
  health: number;
}

/** Two replicas of payments and a ledger as processes, and their own Postgres, which tests kill and start again. */
export class Processes {
  readonly postgres: OwnPostgres;
  readonly services: Readonly<Record<ServiceName, Service>>;
  readonly #folder = makeTemporaryFolder();
  readonly #watchdog: Watchdog = startWatchdog();
  readonly #children = new Map<ServiceName, Child>();
  /** A signal ends a process that is starting. */
  readonly #ready = new Set<ServiceName>();
  readonly #onLine: (line: string) => void;
  #settings: Record<string, string> = {};
  #shiftMs = 0;

  private constructor(
    postgres: OwnPostgres,
    services: Readonly<Record<ServiceName, Service>>,
    onLine: (line: string) => void,
  ) {
    this.postgres = postgres;
    this.services = services;
    this.#onLine = onLine;
  }

  /** Starts Postgres, and chooses the ports of the others. */
  static async create(onLine: (line: string) => void): Promise<Processes> {
    const ports = await findFreePorts(9);
    const service = (index: number): Service => {
      const [grpc = 0, http = 0, health = 0] = ports.slice(index * 3);
      return { grpc, http, health };
    };
    const services = { payments: service(0), 'payments-2': service(1), ledger: service(2) };
    return new Processes(await startPostgres(), services, onLine);
  }

  /** Starts the services with these settings, each with those that it knows. */
  async startAll(settings: Record<string, string>): Promise<void> {
    this.#settings = settings;
    await Promise.all((['ledger', 'payments', 'payments-2'] as const).map((name) => this.#launch(name)));
  }

  /** Moves the clocks of payments. */
  shift(ms: number): void {
    this.#shiftMs = ms;
    for (const name of ['payments', 'payments-2'] as const) this.#shift(name);
  }

  /** Kills one as a machine does. */
  async kill(name: ProcessName): Promise<void> {
    if (name === 'postgres') return this.postgres.kill();
    const child = this.#children.get(name);
    this.#ready.delete(name);
    child?.kill('SIGKILL');
    await child?.ended;
  }

  /** Starts one that was killed. Resolves once it is ready. */
  start(name: ProcessName): Promise<void> {
    return name === 'postgres' ? this.postgres.start() : this.#launch(name);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#children.values()].map((child) => child.stop(5_000)));
    await this.postgres.stop();
    await this.#watchdog.close();
    this.#folder.remove();
  }

  async #launch(name: ServiceName): Promise<void> {
    const { grpc, http, health } = this.services[name];
    const isLedger = name === 'ledger';
    const child = await startChild({
      name,
      command: process.execPath,
      args: [`services/${isLedger ? 'ledger' : 'payments'}/src/main.ts`],
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        ...this.#settings,
        ...(isLedger ? {} : shiftableClocks(this.#folder.path)),
        PORT: String(http),
        GRPC_PORT: String(grpc),
        HEALTH_PORT: String(health),
      },
      cwd: CHECKOUT,
      onLine: this.#onLine,
      watchdog: this.#watchdog,
    });
    this.#children.set(name, child);
    const isReady = async () => {
      if (child.hasEnded()) throw new Error(`${name} ended:\n${child.lastLines().join('\n')}`);
      return fetch(`http://127.0.0.1:${health}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
    };
    await waitUntil(isReady, { what: `${name} starts`, timeoutMs: READY_MS, intervalMs: 50 });
    this.#ready.add(name);
    if (!isLedger) this.#shift(name);
  }

  #shift(name: 'payments' | 'payments-2'): void {
    const child = this.#children.get(name);
    const port = String(this.services[name].http);
    const pid = this.#ready.has(name) && child?.hasEnded() === false ? child.pid : undefined;
    // One that is down starts with this clock; one that is starting gets the signal once it is ready.
    if (pid === undefined) setClock(this.#folder.path, port, this.#shiftMs);
    else shiftClock(this.#folder.path, { pid, port }, this.#shiftMs);
  }
}
