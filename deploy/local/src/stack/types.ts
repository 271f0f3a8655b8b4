import type { RedisChoice } from '../redis/choose.ts';
import type { StackLogs } from './logs.ts';

/** The description of a running stack: the contents of `.tollgate/up.json`. */
export interface Facts {
  /** Origin of the first ingress. */
  base_url: string;
  /** Origins of all ingresses. */
  base_urls: string[];
  /** A key of the demo account. */
  api_key: string;
  /** Ids of the callable models. */
  models: string[];
  /** gRPC addresses by service; `auth` is the first of `auths`, `ledger` that of `ledgers`. */
  grpc: { auth: string; ledger: string; router: string; auths: string[]; ledgers: string[] };
  /** The console, if it runs, its first operator, and a management key of operators. */
  console?: { url: string; operator_email: string; operator_password: string; management_key: string };
  /** Payments, if it runs: where it takes webhooks, its gRPC address, and the stand-in for Stripe, if that runs. */
  payments?: { webhooks_url: string; grpc: string; stripe_simulator_url?: string };
  database_url: string;
  redis_url: string;
  /**
   * Process ids by service: `auth`, `auth-2` and so on, `ledger`, `ledger-2` and so on, `router`, `ingress`, `ingress-2` and so on,
   * `console`, `payments`, and the others that run.
   */
  pids: Record<string, number>;
}

export interface StackOptions {
  /** Folder for all data and logs; existing contents are reused. */
  data: string;
  /** Number of ingress processes; 1 by default. More require a real Redis. */
  ingresses?: number | undefined;
  /** Number of auth processes, on one database; 1 by default. Every ingress knows all of them. */
  auths?: number | undefined;
  /** Number of ledger processes, on one database; 1 by default. Ingresses are assigned to them in round robin. */
  ledgers?: number | undefined;
  /** Every ingress knows all ledgers and uses any of them, as behind one service name in a cluster. */
  sharedLedgers?: boolean | undefined;
  /** Catalogue file; by default that of the simulated provider. */
  catalogue?: string | undefined;
  /** Port of the first ingress, followed by the others; free ports by default. */
  port?: number | undefined;
  /** Also runs the console, at this port or a free one. */
  console?: { port?: number | undefined } | undefined;
  /**
   * Also runs payments, which takes webhooks at this port or a free one: with Stripe where STRIPE_SECRET_KEY is set, else with
   * a stand-in for Stripe. Requires the console.
   */
  payments?: { port?: number | undefined } | undefined;
  /**
   * Makes auth, ledger, router and payments listen on Unix sockets that no other user of the machine can reach, instead of on
   * loopback ports. Requires one auth, ledgers that are not shared, and no route: a gRPC client supports one socket,
   * and several addresses only for IP.
   */
  sockets?: boolean | undefined;
  /** The Redis: a URL, a local `redis-server`, the stand-in, or any of them. */
  redis?: RedisChoice | undefined;
  /** A Postgres database to use instead of an embedded one. */
  databaseUrl?: string | undefined;
  /** Skips migrations, because the database is known to be up to date. */
  migrated?: boolean | undefined;
  /** Settings for the services, which override this process's environment. */
  env?: Record<string, string> | undefined;
  /**
   * Address through which a process reaches another: its own, or that of a proxy. Called for each ingress and auth
   * process with `redis` (as `host:port`, unless Redis is clustered), and with each ingress and auth process, where
   * undefined omits that auth.
   */
  route?: ((from: string, to: string, address: string) => Promise<string | undefined>) | undefined;
  /** The checkout to start a process from, if not this one. */
  checkoutOf?: ((service: string) => string | undefined) | undefined;
  /** Runs the bundles of `deploy/images/bundle.ts` and mimalloc, if it is installed, as the images do, instead of the sources. */
  bundled?: boolean | undefined;
  /** Prints nothing. */
  quiet?: boolean | undefined;
  /** Aborts the start. */
  signal?: AbortSignal | undefined;
}

/** A process of the stack that ended unexpectedly. */
export interface Death {
  service: string;
  /** How it ended, in words. */
  how: string;
  lastLines: string[];
}

/** All services, running as processes of this machine. */
export interface Stack {
  facts: Facts;
  logs: StackLogs;
  /** Resolves when a process has ended unexpectedly; the others still run. */
  died: Promise<Death>;
  /** Stops everything in order; resolves when no process is left. */
  stop: () => Promise<void>;
  /** Kills one process, as a crash does; resolves when it has ended. */
  kill: (service: string) => Promise<void>;
  /** Stops one process if it runs, starts it again at the same address, and waits until it is ready. */
  restart: (service: string) => Promise<void>;
  /** Kills everything at once. */
  abandon: () => void;
}
