import { createHash } from 'node:crypto';
import RedisMock from 'ioredis-mock';
import { Status } from './encode-reply.ts';

/** Scripts kept for EVALSHA. The services use a handful; a client that loads more gets an error. */
const MAX_SCRIPTS = 1_000;

const INFO = ['# Server', 'redis_version:7.0.0', 'redis_mode:standalone', '# Persistence', 'loading:0', ''].join(
  '\r\n',
);

/** Commands passed to the engine unchanged. */
const PASSED = new Set(
  (
    'append decr decrby del exists expire expireat flushall get getdel getset hdel hexists hget hgetall hincrby hkeys ' +
    'hlen hmget hset hvals incr incrby keys lindex llen lpop lpush lrange lrem ltrim mget mset persist pexpire ' +
    'pexpireat psetex pttl rpop rpush sadd scan scard set setex setnx sismember smembers srem strlen ttl type ' +
    'unlink zadd zcard zrange zrangebyscore zrem zremrangebyscore zscore'
  ).split(' '),
);

/** Commands that return a status instead of a string. */
const STATUS_REPLIES = new Set(['flushall', 'mset', 'psetex', 'set', 'setex', 'type']);

/** An in-memory Redis, shared by all connections. */
export class Engine {
  readonly #redis = new RedisMock();
  readonly #scripts = new Map<string, string>();

  /**
   * Runs one command atomically, scripts too.
   *
   * @returns a value for encodeReply; an Error for a rejected command
   */
  async run(name: string, args: Buffer[]): Promise<unknown> {
    switch (name) {
      case 'ping':
        return args[0] ?? new Status('PONG');
      case 'echo':
        return args[0];
      case 'info':
        return INFO;
      case 'time':
        return timeNow();
      case 'client':
      case 'select':
      case 'auth':
        return new Status('OK');
      case 'script':
        return this.#script(args);
      case 'eval':
        return this.#eval(String(args[0]), args.slice(1));
      case 'evalsha': {
        const script = this.#scripts.get(String(args[0]).toLowerCase());
        if (script === undefined) return new Error('NOSCRIPT No matching script. Please use EVAL.');
        return this.#eval(script, args.slice(1));
      }
      default:
        return this.#pass(name, args);
    }
  }

  async #eval(script: string, args: Buffer[]): Promise<unknown> {
    // Like Redis, remembers a script by its digest once it has run.
    const kept = this.#keep(script);
    if (kept instanceof Error) return kept;
    const [keys, ...values] = args.map(String);
    return this.#redis.eval(withClock(script), Number(keys), ...values);
  }

  #script(args: Buffer[]): unknown {
    const [verb, ...rest] = args.map(String);
    switch (verb?.toLowerCase()) {
      case 'load':
        return this.#keep(rest[0] ?? '');
      case 'exists':
        return rest.map((digest) => (this.#scripts.has(digest.toLowerCase()) ? 1 : 0));
      case 'flush':
        this.#scripts.clear();
        return new Status('OK');
      default:
        return new Error('ERR unknown subcommand of SCRIPT');
    }
  }

  #keep(script: string): string | Error {
    const digest = createHash('sha1').update(script).digest('hex');
    if (this.#scripts.size >= MAX_SCRIPTS && !this.#scripts.has(digest)) return new Error('ERR too many scripts');
    this.#scripts.set(digest, script);
    return digest;
  }

  async #pass(name: string, args: Buffer[]): Promise<unknown> {
    if (!PASSED.has(name)) return new Error(`ERR unknown command '${name.slice(0, 40)}'`);
    const method: unknown = Reflect.get(this.#redis, name);
    if (typeof method !== 'function') return new Error(`ERR unknown command '${name}'`);
    const result: unknown = await method.apply(this.#redis, args.map(String));
    return STATUS_REPLIES.has(name) && typeof result === 'string' ? new Status(result) : result;
  }
}

/** Unix seconds and the microseconds of the second. */
function timeNow(): [string, string] {
  const nowMs = Date.now();
  return [String(Math.floor(nowMs / 1_000)), String((nowMs % 1_000) * 1_000)];
}

/** Provides the time to scripts: the engine takes microseconds and seconds from different clocks. */
function withClock(script: string): string {
  const [seconds, microseconds] = timeNow();
  const clock = `if string.upper(name) == 'TIME' then return {'${seconds}', '${microseconds}'} end`;
  return `do local call = redis.call redis.call = function(name, ...) ${clock} return call(name, ...) end end ${script}`;
}
