import { COMMIT, Pipeline } from '@tollgate/common/postgres/pipeline';
import pg from 'pg';
import { databaseTurns } from './database-turns.ts';

/**
 * What happens to the next commit of a ledger: its connection is lost before or after the commit, or Postgres rejects it
 * with an error.
 */
export type CommitFault = 'before' | 'after' | { sqlState: string };

const INT8_OID = 20;

/** The error of the Postgres client for a lost connection. */
function connectionLost(): Error {
  return Object.assign(new Error('Connection terminated unexpectedly'), { code: 'ECONNRESET' });
}

/** A ledger's pool, with faults on demand. */
export class FaultyPool {
  readonly pool: pg.Pool;
  /** The process is dead: nothing it sends arrives. */
  dead = false;
  #fault: CommitFault | undefined;
  #faulted: (() => void) | undefined;
  readonly #nowMs: () => number;
  readonly #clocks = new WeakMap<pg.ClientBase, number>();
  readonly #clients = new Set<pg.Client>();

  constructor(url: string, nowMs: () => number) {
    this.#nowMs = nowMs;
    this.pool = new pg.Pool({
      connectionString: url,
      Client: this.#clientClass(),
      max: 6,
      idleTimeoutMillis: 0,
      types: { getTypeParser: (oid, format) => (oid === INT8_OID ? BigInt : pg.types.getTypeParser(oid, format)) },
    });
    this.pool.on('error', () => undefined);
    this.pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#clients.add(client);
      client.on('end', () => this.#clients.delete(client));
      this.#instrument(client);
    });
  }

  /** Fails the next commit; `faulted` is called when it has happened. */
  failNextCommit(fault: CommitFault, faulted: () => void): void {
    this.#fault = fault;
    this.#faulted = faulted;
  }

  /** Cancels a fault that has not happened. */
  cancelFault(): void {
    this.#fault = undefined;
  }

  /** Whether nothing is in progress on any of its connections. */
  get idle(): boolean {
    return this.pool.idleCount === this.pool.totalCount && this.pool.waitingCount === 0;
  }

  /** Kills the process: its connections are closed, and what it had not committed is rolled back. */
  kill(): void {
    this.dead = true;
    databaseTurns.kill(
      this,
      [...this.#clients].flatMap((client) => processOf(client) ?? []),
    );
    for (const client of this.#clients) client.connection.stream.destroy();
  }

  /** Clients whose opening takes a turn. */
  #clientClass(): typeof pg.Client {
    const inTurn = (client: pg.ClientBase, work: Work, args: readonly unknown[]) => this.#inTurn(client, work, args);
    return class extends pg.Client {
      constructor(config?: string | pg.ClientConfig) {
        super(config);
        const connect: unknown = Reflect.get(this, 'connect');
        if (typeof connect !== 'function') throw new Error('the Postgres client has no connect');
        const connected = (...args: unknown[]) => inTurn(this, (given) => Reflect.apply(connect, this, given), args);
        Object.defineProperty(this, 'connect', { value: connected });
      }
    };
  }

  #instrument(client: pg.ClientBase): void {
    const query: unknown = Reflect.get(client, 'query');
    if (typeof query !== 'function') throw new Error('the Postgres client has no query');
    const ask = (...args: unknown[]): unknown => Reflect.apply(query, client, args);
    const faulty = (...args: unknown[]): unknown =>
      this.#inTurn(
        client,
        (given) => {
          const [query] = args;
          if (commits(query) && this.#fault !== undefined) return this.#failCommit(client, ask, query);
          // A COPY does not set the clock: it is within a transaction.
          const setsClock = typeof query !== 'object' || query instanceof Pipeline || 'text' in (query ?? {});
          const reported = setsClock ? this.#setClock(client, ask) : undefined;
          const then = () => ask(...given);
          return reported === undefined ? then() : reported.then(then, then);
        },
        args,
      );
    Object.defineProperty(client, 'query', { value: faulty, configurable: true });
  }

  /** Sets the connection's clock if time has passed since. */
  #setClock(client: pg.ClientBase, ask: (...args: unknown[]) => unknown): Promise<unknown> | undefined {
    const nowMs = this.#nowMs();
    if (this.#clocks.get(client) === nowMs) return undefined;
    this.#clocks.set(client, nowMs);
    return Promise.resolve(ask(`SET virtual.now_ms = '${Math.floor(nowMs)}'`));
  }

  async #failCommit(client: pg.ClientBase, ask: (...args: unknown[]) => unknown, query: unknown): Promise<never> {
    const fault = this.#fault;
    this.#fault = undefined;
    if (fault !== 'after') await ask('ROLLBACK');
    else if (query instanceof Pipeline) await runCopy(query, ask);
    else await ask('COMMIT');
    this.#faulted?.();
    if (typeof fault === 'object') throw Object.assign(new Error('the commit failed'), { code: fault.sqlState });
    // Further queries on this connection fail, so it is discarded.
    Object.defineProperty(client, 'query', { value: () => Promise.reject(connectionLost()) });
    throw connectionLost();
  }

  /** Runs work in its turn and delivers the result as its caller expects. */
  #inTurn(client: pg.ClientBase, work: Work, args: readonly unknown[]): unknown {
    if (this.dead) return new Promise(() => undefined);
    const shared = { owner: this, connection: client, pid: processOf(client) };
    if (args[0] instanceof Pipeline) {
      const pipeline = args[0];
      let delivered: (() => void) | undefined;
      const ask = async () => {
        try {
          const responses = await runCopy(pipeline, (copy) => work([copy]));
          delivered = () => deliver(responses, pipeline);
        } catch (error) {
          delivered = () => pipeline.handleError(error instanceof Error ? error : new Error(String(error)));
        }
      };
      databaseTurns.ask({ ...shared, ask, report: () => delivered?.() });
      return pipeline;
    }
    const submitted = args[0] instanceof Object && 'done' in args[0] ? args[0].done : undefined;
    if (submitted instanceof Promise) {
      // A query with its own protocol, such as COPY, reports its end itself.
      const ask = async () => {
        await work(args);
        await submitted;
      };
      databaseTurns.ask({ ...shared, ask, report: () => undefined });
      return args[0];
    }
    const callback = args.at(-1);
    let reported: (() => void) | undefined;
    if (typeof callback === 'function') {
      const ask = () =>
        new Promise<void>((resolve) => {
          const ended = (...results: unknown[]) => {
            reported = () => Reflect.apply(callback, undefined, results);
            resolve();
          };
          work([...args.slice(0, -1), ended]);
        });
      databaseTurns.ask({ ...shared, ask, report: () => reported?.() });
      return undefined;
    }
    return new Promise((resolve, reject) => {
      const ask = async () => {
        try {
          const result = await work(args);
          reported = () => resolve(result);
        } catch (error) {
          reported = () => reject(error);
        }
      };
      databaseTurns.ask({ ...shared, ask, report: () => reported?.() });
    });
  }
}

function commits(query: unknown): boolean {
  return query === 'COMMIT' || (query instanceof Pipeline && query.statements.includes(COMMIT));
}

/** Runs the statements of a pipeline, whose own response is delivered later or not at all. */
async function runCopy({ statements }: Pipeline, ask: (pipeline: Pipeline) => unknown): Promise<Responses> {
  const copy = new Pipeline(statements);
  await ask(copy);
  return await copy.done;
}

type Responses = Awaited<Pipeline['done']>;

function deliver(responses: Responses, pipeline: Pipeline): void {
  for (const rows of responses) {
    for (const fields of rows) pipeline.handleDataRow({ fields });
    pipeline.handleCommandComplete();
  }
  pipeline.handleReadyForQuery();
}

type Work = (args: readonly unknown[]) => unknown;

/** The server's process at the other end of a connection. */
function processOf(client: pg.ClientBase): number | undefined {
  const pid: unknown = Reflect.get(client, 'processID');
  return typeof pid === 'number' ? pid : undefined;
}
