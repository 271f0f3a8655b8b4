import { hostname } from 'node:os';
import {
  bytes,
  commonSettings,
  flag,
  grpcAddress,
  loadConfig,
  milliseconds,
  port,
  serviceName,
} from '@tollgate/common/config';
import { PROTOCOL_NAMES } from '@tollgate/protocols/protocol-name';
import { z } from 'zod';
import { parseTrustedProxies } from './auth-throttle/client-network.ts';
import { ITEM_KEY_BYTES } from './items/item-cipher.ts';

/** A list of protocol names; the empty text is none. */
const protocolNames = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  )
  .pipe(z.array(z.enum(PROTOCOL_NAMES)));

/** Keys parted by commas, the one in use first. */
const itemStoreKeys = z
  .string()
  .transform((text) => text.split(',').map((each) => each.trim()))
  .pipe(z.array(z.base64()))
  .transform((keys) => keys.map((each) => Buffer.from(each, 'base64')))
  .refine(
    (keys) => keys.every((key) => key.length === ITEM_KEY_BYTES),
    `must be ${ITEM_KEY_BYTES} bytes in base64, or several such parted by commas`,
  );

/** A list of addresses and networks; empty for none. */
const trustedProxies = z.string().transform((text, context) => {
  const proxies = parseTrustedProxies(text);
  if (proxies !== undefined) return proxies;
  context.addIssue({ code: 'custom', message: 'must be comma-separated addresses or networks (CIDR)' });
  return z.NEVER;
});

const settings = z.object({
  ...commonSettings,
  /** Where clients connect. */
  PORT: port.default(8080),
  /** How long a stopping process still takes connections, while load balancers learn of it; part of SHUTDOWN_GRACE_MS. */
  SHUTDOWN_LINGER_MS: milliseconds.default(0),
  AUTH_ADDRESS: grpcAddress,
  LEDGER_ADDRESS: grpcAddress,
  ROUTER_ADDRESS: grpcAddress,
  /** `redis://` or `rediss://` URL, or several parted by commas for a Redis Cluster. */
  REDIS_URL: z.string().min(1),
  /** Longest a Redis command may take; for a request that meets a slower one, Redis counts as down. */
  REDIS_TIMEOUT_MS: milliseconds.min(1).default(500),
  /** The service short name of the contract: keys start with `sk-<name>-`. */
  SERVICE_NAME: serviceName.default('tollgate'),
  /** Folder of the charge journal, used by one process at a time. */
  JOURNAL_DIR: z.string().min(1),
  /** Most the journal may take on disk. */
  JOURNAL_MAX_BYTES: bytes.default(256 * 1024 * 1024),
  /**
   * Longest the last event of an answer waits for the ledger to acknowledge its charge; 0 does not wait. With it (20 is
   * enough) a machine that is lost with its disk loses no charge of an answer that was delivered, wherever the ledger
   * answers in time.
   */
  SETTLE_BEFORE_END_MS: milliseconds.max(5_000).default(0),
  /** Where an account is topped up; shown when a balance is too small. */
  RECHARGE_URL: z.url(),
  /** Name of this process in the ledger's sessions. */
  INGRESS_NAME: z.string().min(1).default(hostname()),
  /** Largest request body, decompressed. */
  MAX_BODY_BYTES: bytes.default(32 * 1024 * 1024),
  /**
   * Bytes of request bodies, decompressed, that this process holds at once, each until its request is over; half of them
   * for one account at most. Answers that are held back may take half as much again. Not less than twice MAX_BODY_BYTES.
   */
  MAX_BUFFERED_BYTES: bytes.default(256 * 1024 * 1024),
  /** Longest a request may take, its answer included. Not more than the ledger's setting of that name. */
  MAX_REQUEST_MS: milliseconds.default(3_600_000),
  /** Fewest output tokens worth a call when the balance sets the limit. */
  MIN_OUTPUT_TOKENS: z.coerce.number().int().min(1).default(16),
  /**
   * Client protocols, parted by commas, in which an output limit that the balance cannot pay for, or beyond the model's
   * own, is lowered to what can be; in the others it is refused. Clients of the messages protocol must always send a limit, and send a large one.
   */
  CLAMP_OUTPUT_LIMIT: protocolNames.default(['anthropic-messages']),
  /** After so much silence a stream that has begun gets a comment or a ping, where its protocol has such. */
  STREAM_KEEP_ALIVE_MS: milliseconds.default(10_000),
  /** Continue a client's trace instead of linking it. Only for clients that are trusted. */
  TRUST_TRACEPARENT: flag.default(false),
  /**
   * Addresses and networks (CIDR) of the proxies in front, parted by commas: where a request comes from is read from their
   * X-Forwarded-For. Without it all requests through a proxy seem to come from the proxy.
   */
  TRUSTED_PROXIES: trustedProxies.prefault(''),
  /**
   * Unknown keys that are looked up for one client address at once; each second allows one more. 0 for no limit, where all
   * clients share an address.
   */
  UNKNOWN_KEYS_BURST: z.coerce.number().int().min(0).max(1_000_000).default(20),
  /** How often auth is told when keys were last used. */
  KEY_USE_INTERVAL_MS: milliseconds.min(10).default(30_000),
  /**
   * 32 random bytes in base64, the same for all replicas. With it the items of answers that clients may name by
   * `item_reference` later are kept in Redis, encrypted; without it such requests are refused. Several, parted by commas:
   * the first one encrypts, all of them decrypt.
   */
  ITEM_STORE_KEY: itemStoreKeys.optional(),
  /** How long such an item can be named at least. */
  ITEM_STORE_LIFE_MS: milliseconds.min(60_000).default(43_200_000),
  /**
   * Requests with a good key that this process has under way at most. Each takes some 200 KiB while it streams, so that
   * the default stays below a GiB.
   */
  MAX_OPEN_REQUESTS: z.coerce.number().int().min(1).default(4_000),
  /** Of these at most from one account, so that there is room for others whatever one does. */
  MAX_OPEN_REQUESTS_PER_ACCOUNT: z.coerce.number().int().min(1).default(2_000),
  /**
   * Connections that this process has open at most, idle ones included; further ones are closed unanswered. Each takes
   * some 20 KiB while it is idle.
   */
  MAX_CONNECTIONS: z.coerce.number().int().min(1).default(10_000),
  /** A bucket of a limit per minute holds what flows in within this time: so much may come at once. */
  RATE_LIMIT_BURST_SECONDS: z.coerce.number().int().min(1).max(60).default(10),
  /** Billing calls per account and minute. */
  BILLING_REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(600),
  /** Billing calls an account may make at once out of a full allowance. */
  BILLING_BURST: z.coerce.number().int().min(1).default(100),
});

const schema = settings.refine(({ MAX_BODY_BYTES, MAX_BUFFERED_BYTES }) => MAX_BUFFERED_BYTES >= 2 * MAX_BODY_BYTES, {
  path: ['MAX_BUFFERED_BYTES'],
  error: 'must be at least twice MAX_BODY_BYTES',
});

export type IngressConfig = z.output<typeof schema>;

/** Reads the ingress's settings; throws ConfigError. */
export function readConfig(env: NodeJS.ProcessEnv): IngressConfig {
  return loadConfig(schema, env);
}
