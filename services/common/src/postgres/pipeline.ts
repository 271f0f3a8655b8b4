import type pg from 'pg';
import { writeCopiedRows } from './copy-in.ts';
import type { PoolClient } from './pool.ts';

/** A parameter as it is sent: text, or bytes in the binary format of its type. */
export type Parameter = string | Buffer | null;

/** The values of a row as text, in the order of the columns. */
export type TextRow = readonly (string | null)[];

/** A statement of a pipeline, prepared once per connection. */
export interface Statement<Result> {
  /** Unique among the statements of a connection. */
  name: string;
  text: string;
  values: Parameter[];
  /** The rows of a `COPY ... FROM STDIN`, in the format that it names. */
  copied?: Uint8Array;
  /** Makes the result of what it returned. */
  read: (rows: readonly TextRow[]) => Result;
}

type Results<Statements extends readonly Statement<unknown>[]> = {
  -readonly [Index in keyof Statements]: Statements[Index] extends Statement<infer Result> ? Result : never;
};

const BEGIN: Statement<void> = { name: 'begin', text: 'BEGIN', values: [], read: () => undefined };
export const COMMIT: Statement<void> = { name: 'commit', text: 'COMMIT', values: [], read: () => undefined };

/**
 * Sends all statements at once and reads all responses at once: on both sides, most of the cost of a small statement is the
 * round trip. They run one after the other, each seeing what was committed before it; after one that fails, none runs.
 *
 * @param transaction whether they begin a transaction, or end the one in progress
 * @throws the error of the statement that failed
 */
export async function runPipeline<const Statements extends readonly Statement<unknown>[]>(
  client: PoolClient,
  statements: Statements,
  transaction?: 'begin' | 'commit',
): Promise<Results<Statements>> {
  const before = transaction === 'begin' ? [BEGIN] : [];
  const pipeline = new Pipeline([...before, ...statements, ...(transaction === 'commit' ? [COMMIT] : [])]);
  client.query(pipeline);
  const rows = await pipeline.done;
  const results = statements.map((statement, index) => statement.read(rows[before.length + index] ?? []));
  // `map` forgets that the statements are a tuple.
  return results as Results<Statements>;
}

/** A connection to Postgres, with what its types leave out. */
interface PipelineConnection extends pg.Connection {
  /** The texts of the statements that the client has prepared on it, by name. */
  parsedStatements?: Record<string, string>;
}

/**
 * Statements in progress, in the form in which `pg` takes custom queries. By hand because the pipeline mode of `pg` is a
 * property of a connection, ends every statement with a Sync of its own, and excludes COPY.
 */
export class Pipeline {
  readonly statements: readonly Statement<unknown>[];
  readonly #done = Promise.withResolvers<readonly (readonly TextRow[])[]>();
  readonly #responses: TextRow[][] = [];
  #rows: TextRow[] = [];
  #connection: PipelineConnection | undefined;

  constructor(statements: readonly Statement<unknown>[]) {
    this.statements = statements;
  }

  /** The rows of each statement; settles when the database is ready for further ones. */
  get done(): Promise<readonly (readonly TextRow[])[]> {
    return this.#done.promise;
  }

  submit(connection: PipelineConnection): void {
    this.#connection = connection;
    connection.stream.cork();
    try {
      for (const statement of this.statements) send(connection, statement);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleDataRow({ fields }: { fields: TextRow }): void {
    this.#rows.push(fields);
  }

  handleCommandComplete(): void {
    this.#responses.push(this.#rows);
    this.#rows = [];
  }

  handleCopyInResponse(): void {
    // The rows followed the statement.
  }

  handleError(error: Error): void {
    this.#done.reject(error);
  }

  handleReadyForQuery(): void {
    const prepared = this.#connection?.parsedStatements ?? {};
    for (const { name, text } of this.statements) prepared[name] = text;
    this.#done.resolve(this.#responses);
  }
}

function send(connection: PipelineConnection, { name, text, values, copied }: Statement<unknown>): void {
  if (connection.parsedStatements?.[name] === undefined) {
    // It may exist all the same: after a failed pipeline it is unknown which of its statements were prepared.
    connection.close({ type: 'S', name }, true);
    connection.parse({ name, text, types: [] }, true);
  }
  connection.bind({ statement: name, values }, true);
  connection.execute(null, true);
  if (copied !== undefined) writeCopiedRows(connection.stream, copied);
}
