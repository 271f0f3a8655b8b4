import { messageOf } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import type { Logger } from '@tollgate/common/logging';
import { PostgresListener } from '@tollgate/common/postgres/listener';
import { z } from 'zod';

/** Maximum sessions named in one message: a notification carries less than 8,000 bytes. */
export const SESSIONS_PER_MESSAGE = 150;

const replica = z.string().min(1);
const scope = z.string().min(1);

const recallMessageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ask'), from: replica, scope, sessions: z.array(z.string()).max(SESSIONS_PER_MESSAGE) }),
  z.object({ kind: z.literal('answered'), from: replica, scope, session: z.string(), gave: z.boolean() }),
  z.object({ kind: z.literal('done'), from: replica, scope }),
]);

/**
 * What replicas send each other about the recall of a scope. `ask`: the replicas that serve these sessions ask them.
 * `answered`: one of them has answered, and whether credit became available. `done`: the recall is over.
 */
export type RecallMessage = z.output<typeof recallMessageSchema>;

/** Parses a notification; undefined for an unknown one, which a newer replica may send. */
export function parseRecallMessage(payload: string): RecallMessage | undefined {
  try {
    const parsed = recallMessageSchema.safeParse(JSON.parse(payload));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Connects the replicas of a ledger for recalls. Failures only make a recall end later or reach fewer sessions. */
export interface RecallBus {
  /** Names this replica in messages. */
  readonly replica: string;
  /** Connects. Resolves after the first attempt; further attempts follow in the background. */
  start(): Promise<void>;
  /** Notifies the other replicas, if it can. */
  publish(message: RecallMessage): void;
  /** Whether this replica may recall the scope: false while another one does. True as well while the bus is down. */
  lock(scope: string): Promise<boolean>;
  /** Lets others recall the scope, and notifies them that this recall is over. */
  unlock(scope: string): void;
  /** Sets the handler of messages from other replicas. */
  subscribe(received: (message: RecallMessage) => void): void;
  stop(): Promise<void>;
}

/** The bus of a single replica. */
export function noBus(): RecallBus {
  return {
    replica: 'alone',
    start: () => Promise.resolve(),
    publish: () => undefined,
    lock: () => Promise.resolve(true),
    unlock: () => undefined,
    subscribe: () => undefined,
    stop: () => Promise.resolve(),
  };
}

const CHANNEL = 'ledger_recall';

/** The key of a scope's advisory lock. Scopes with the same key only wait for each other. */
const LOCK_KEY = `hashtextextended('tollgate-recall/' || $1, 0)`;

/**
 * The bus over Postgres: notifications on one channel, and advisory locks of the listening connection, so that the locks
 * of a replica that dies are released.
 */
export function createPostgresBus(url: string, logger: Logger): RecallBus {
  const replica = newId();
  let receive: (message: RecallMessage) => void = () => undefined;
  const received = (payload: string) => {
    const message = parseRecallMessage(payload);
    if (message !== undefined && message.from !== replica) receive(message);
  };
  const listener = new PostgresListener(
    { url, channel: CHANNEL, applicationName: 'tollgate-ledger-recall', received },
    logger,
  );

  const run = async (text: string, values: string[]): Promise<Record<string, unknown>[]> => {
    if (!listener.up) return [];
    return listener.query(text, values).catch((error: unknown) => {
      logger.warn({ error: messageOf(error) }, 'other replicas cannot be notified of a recall');
      return [];
    });
  };
  return {
    replica,
    start: () => listener.start(),
    publish: (message) => void run('SELECT pg_notify($1, $2)', [CHANNEL, JSON.stringify(message)]),
    lock: async (scope) => {
      const [row] = await run(`SELECT pg_try_advisory_lock(${LOCK_KEY}) AS taken`, [scope]);
      return row?.['taken'] !== false;
    },
    // Postgres unlocks at once and notifies on commit: a replica that fails to get the lock before is notified after.
    unlock: (scope) => {
      const done: RecallMessage = { kind: 'done', from: replica, scope };
      void run(`SELECT pg_advisory_unlock(${LOCK_KEY}), pg_notify($2, $3)`, [scope, CHANNEL, JSON.stringify(done)]);
    },
    subscribe: (handler) => {
      receive = handler;
    },
    stop: () => listener.stop(),
  };
}
