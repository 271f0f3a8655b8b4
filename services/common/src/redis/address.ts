/** Credentials; undefined where none are needed. */
export interface RedisLogin {
  username: string | undefined;
  password: string | undefined;
}

/** One process of Redis. */
export interface RedisNode {
  host: string;
  port: number;
}

/** Where Redis is: one server, a Redis Cluster, or the master that Sentinels report. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'cluster'; nodes: RedisNode[]; tls: boolean } & RedisLogin)
  | ({ kind: 'sentinel'; sentinels: RedisNode[]; master: string; database: number; tls: boolean } & RedisLogin & {
        sentinelPassword: string | undefined;
      });

const PORT = 6_379;
const SENTINEL_PORT = 26_379;
const SENTINEL = /^(redis|rediss)\+sentinel:\/\/(?:([^@/]*)@)?([^@/?]+)\/([^/?]+)(?:\?(.*))?$/;

/**
 * Reads the address of Redis from a setting:
 *
 * - `redis://[user:password@]host[:port][/database]`, or `rediss://` for TLS: one server;
 * - several of these, comma-separated, or one with `?cluster=true`: nodes of a Redis Cluster, any of them to start with.
 *   Login and TLS are the first one's;
 * - `redis+sentinel://[user:password@]host[:port],…/name[?db=0&sentinelPassword=…]`, or `rediss+sentinel://` for TLS to all
 *   of them: the Sentinels of the master with that name.
 *
 * By hand because ioredis reads the URL of a single server only.
 *
 * @throws Error that says what is wrong without showing the setting, which may contain a password
 */
export function readRedisAddress(setting: string): RedisAddress {
  if (/^rediss?\+sentinel:/.test(setting)) return sentinelAddress(setting);
  const urls = setting.split(',').map((text) => readUrl(text.trim()));
  const [first] = urls;
  if (first === undefined) throw new Error('REDIS_URL is empty');
  if (urls.length === 1 && first.searchParams.get('cluster') !== 'true') return { kind: 'server', url: setting };
  return {
    kind: 'cluster',
    nodes: urls.map((url) => ({ host: hostOf(url.hostname), port: Number(url.port || PORT) })),
    tls: first.protocol === 'rediss:',
    username: decoded(first.username),
    password: decoded(first.password),
  };
}

function sentinelAddress(setting: string): RedisAddress {
  const match = SENTINEL.exec(setting);
  const [, scheme, login = '', hosts = '', master = '', query = ''] = match ?? [];
  if (match === null) {
    throw new Error('REDIS_URL of Sentinels must be redis+sentinel://host:port,host:port/name');
  }
  const parameters = new URLSearchParams(query);
  const database = Number(parameters.get('db') ?? 0);
  if (!Number.isInteger(database) || database < 0) throw new Error('db in REDIS_URL must be an integer of at least 0');
  const colon = login.indexOf(':');
  return {
    kind: 'sentinel',
    sentinels: hosts.split(',').map((host) => {
      const url = readUrl(`redis://${host}`);
      return { host: hostOf(url.hostname), port: Number(url.port || SENTINEL_PORT) };
    }),
    master: decodeURIComponent(master),
    database,
    tls: scheme === 'rediss',
    username: decoded(colon < 0 ? login : login.slice(0, colon)),
    password: colon < 0 ? undefined : decoded(login.slice(colon + 1)),
    sentinelPassword: parameters.get('sentinelPassword') ?? undefined,
  };
}

function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'redis:' && url.protocol !== 'rediss:') || url.hostname === '') {
    throw new Error('REDIS_URL must be redis:// or rediss:// with a host, or several of these, comma-separated');
  }
  return url;
}

/** A host without the brackets of an IPv6 address. */
function hostOf(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

function decoded(text: string): string | undefined {
  return text === '' ? undefined : decodeURIComponent(text);
}
