import type { RedisChoice } from '../redis/choose.ts';
import type { StackLogs } from './logs.ts';

/** What a running stack reports of itself: the contents of `.tollgate/up.json`. */
export interface Facts {
  /** The first ingress, without a path. */
  base_url: string;
  /** All ingresses. */
  base_urls: string[];
  /** A key of the demo account. */
  api_key: string;
  /** Ids of the models that can be called. */
  models: string[];
  /** gRPC addresses by service; `auth` is the first of `auths`, `ledger` that of `ledgers`. */
  grpc: { auth: string; ledger: string; router: string; auths: string[]; ledgers: string[] };
  database_url: string;
  redis_url: string;
  /**
   * Process ids by service: `auth`, `auth-2` and so on, `ledger`, `ledger-2` and so on, `router`, `ingress`, `ingress-2` and so on, and the
   * others that run.
   */
  pids: Record<string, number>;
}

export interface StackOptions {
  /** Folder for all data and logs; what is in it is used again. */
  data: string;
  /** How many ingress processes; 1 unless given. More need a real Redis. */
  ingresses?: number | undefined;
  /** How many auth processes on the one database; 1 unless given. Every ingress knows all of them. */
  auths?: number | undefined;
  /** How many ledger processes on the one database; 1 unless given. The ingresses are spread over them in turn. */
  ledgers?: number | undefined;
  /** Every ingress knows all ledgers and takes whichever answers, as behind one name in a cluster. */
  sharedLedgers?: boolean | undefined;
  /** Catalogue file; the one of the simulated provider unless given. */
  catalogue?: string | undefined;
  /** Port of the first ingress, the others following; free ones unless given. */
  port?: number | undefined;
  /**
   * Has auth, ledger and router listen on sockets that no other user of the machine can reach, instead of on ports of
   * loopback, which every user can. For one auth, ledgers that are not shared and no route, as a client of gRPC can be
   * given one socket, and several addresses of IP alone.
   */
  sockets?: boolean | undefined;
  /** Where Redis comes from: a URL, a local `redis-server`, the stand-in, or whichever there is. */
  redis?: RedisChoice | undefined;
  /** A Postgres database to use instead of an embedded one in the data folder. */
  databaseUrl?: string | undefined;
  /** That database is known to be up to date: no migrations are run on it. */
  migrated?: boolean | undefined;
  /** Settings for the services, over those of this process's environment. */
  env?: Record<string, string> | undefined;
  /**
   * Through where a process reaches another: its address, or that of a proxy before it. Asked for each ingress and auth
   * process and `redis` (as `host:port`; only where Redis is not clustered), and each ingress and auth process, where
   undefined leaves that auth out.
   */
  route?: ((from: string, to: string, address: string) => Promise<string | undefined>) | undefined;
  /** The checkout that a process is started from, where it is another than this one. */
  checkoutOf?: ((service: string) => string | undefined) | undefined;
  /** Prints nothing. */
  quiet?: boolean | undefined;
  /** Ends the start early. */
  signal?: AbortSignal | undefined;
}

/** A process of the stack that ended on its own. */
export interface Death {
  service: string;
  /** How it ended, for humans. */
  how: string;
  lastLines: string[];
}

/** All services, running as processes of this machine. */
export interface Stack {
  facts: Facts;
  logs: StackLogs;
  /** Resolves when a process has ended that nobody asked to; the others still run. */
  died: Promise<Death>;
  /** Stops everything in order; resolves when no process is left. */
  stop: () => Promise<void>;
  /** Kills one process as a crash does; resolves when it is gone. */
  kill: (service: string) => Promise<void>;
  /** Stops one process if it runs, starts it again at the same address, and waits until it is ready. */
  restart: (service: string) => Promise<void>;
  /** Kills everything at once. */
  abandon: () => void;
}
