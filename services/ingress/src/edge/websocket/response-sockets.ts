import type { Server } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { Counts } from '@tollgate/common/counts';
import type { Logger } from '@tollgate/common/logging';
import type { IngressConfig } from '../../config.ts';
import type { BufferBudget } from '../../shared/buffers/buffer-budget.ts';
import type { ApiError } from '../../shared/errors/api-error.ts';
import type { AuthenticatedKey } from '../../shared/request/request-context.ts';
import type { AuthenticationResult } from '../authenticate/result.ts';
import { AccountShares } from './account-shares.ts';
import { KeptResponses } from './kept-responses.ts';
import { type AcceptedSocket, ResponseSocket, type SocketLimits } from './response-socket.ts';
import { CLOSE, closeForKey, socketErrors } from './socket-errors.ts';

/** How often times of sockets are checked. */
const CHECK_MS = 1_000;
/** How often the keys of all sockets are authenticated again: keys expire, and a report of a change may be lost. */
const KEY_CHECK_MS = 10_000;
/** Changes of keys within this time are handled together. */
const CHANGES_MS = 50;
/** As for responses over HTTP. */
const STALL_MS = 60_000;
/** Without a message and a running response, and in all, OpenAI's. */
const IDLE_MS = 600_000;
const LIFE_MS = 3_600_000;
/** Of one API key. */
const MAX_PER_KEY = 100;
/** Responses that can be continued may use so much, as a share of the memory for bodies and in addition to it. */
const KEPT_SHARE = 1 / 4;

export interface ResponseSocketsOptions {
  requestBuffers: BufferBudget;
  logger: Logger;
  /** Whether an account can pay for anything. */
  hasCredit: (accountId: string) => Promise<boolean>;
  config: Pick<
    IngressConfig,
    'MAX_BODY_BYTES' | 'MAX_BUFFERED_BYTES' | 'MAX_WEBSOCKETS' | 'RECHARGE_URL' | 'STREAM_KEEP_ALIVE_MS'
  >;
}

/** Authenticates the key of a socket again. */
export type Authenticate = () => Promise<AuthenticationResult>;

/** The open WebSockets of the process. */
export class ResponseSockets {
  readonly #options: ResponseSocketsOptions;
  readonly #limits: SocketLimits;
  readonly #kept: KeptResponses;
  readonly #sockets = new Map<ResponseSocket, Authenticate>();
  readonly #shares: AccountShares;
  readonly #ofKey = new Counts();
  readonly #ofAccount = new Counts();
  #server: Server | undefined;
  #timers: NodeJS.Timeout[] = [];
  #changeTimer: NodeJS.Timeout | undefined;
  #isStopping = false;

  constructor(options: ResponseSocketsOptions) {
    const { config, hasCredit } = options;
    this.#options = options;
    this.#limits = {
      maxMessageBytes: config.MAX_BODY_BYTES,
      idleMs: IDLE_MS,
      lifeMs: LIFE_MS,
      pingMs: config.STREAM_KEEP_ALIVE_MS,
      stallMs: STALL_MS,
    };
    this.#shares = new AccountShares(config.MAX_WEBSOCKETS, hasCredit);
    const totalBytes = config.MAX_BUFFERED_BYTES * KEPT_SHARE;
    this.#kept = new KeptResponses({
      totalBytes,
      responseBytes: config.MAX_BODY_BYTES,
      shares: new AccountShares(totalBytes, hasCredit),
    });
  }

  /** Whether any are accepted; otherwise an upgrade is refused like on other paths. */
  get isEnabled(): boolean {
    return this.#options.config.MAX_WEBSOCKETS > 0;
  }

  get open(): number {
    return this.#sockets.size;
  }

  /** Bytes of the responses that can be continued. */
  get keptBytes(): number {
    return this.#kept.bytes;
  }

  /** Starts to check times and keys. @param server serves the requests of messages */
  start(server: Server): void {
    this.#server = server;
    this.#timers = [
      setInterval(() => this.#checkTimes(), CHECK_MS).unref(),
      setInterval(() => void this.#checkKeys(), KEY_CHECK_MS).unref(),
    ];
  }

  /** Why a key cannot open one more; undefined if it can, until anything else is awaited. */
  async refusalFor({ keyId, accountId }: Pick<AuthenticatedKey, 'keyId' | 'accountId'>): Promise<ApiError | undefined> {
    const { MAX_WEBSOCKETS, RECHARGE_URL } = this.#options.config;
    const { max, isFull } = await this.#shares.of(accountId, this.#ofAccount.of(accountId) + 1);
    if (this.#ofKey.of(keyId) >= MAX_PER_KEY) return socketErrors.tooManyOfKey(MAX_PER_KEY);
    if (this.#ofAccount.of(accountId) >= max)
      return isFull ? socketErrors.tooManyOfAccount(max) : socketErrors.tooManyWithoutCredit(max, RECHARGE_URL);
    return this.#isStopping || this.#sockets.size >= MAX_WEBSOCKETS ? socketErrors.tooMany() : undefined;
  }

  /** Serves an accepted WebSocket until it is closed. */
  serve(accepted: AcceptedSocket, authenticate: Authenticate): void {
    const { keyId, accountId } = accepted.key;
    if (this.#server === undefined) throw new Error('WebSockets are not served yet');
    const { requestBuffers, logger } = this.#options;
    const deps = { server: this.#server, requestBuffers, logger, kept: this.#kept, limits: this.#limits };
    const socket = new ResponseSocket(deps, accepted, () => {
      this.#sockets.delete(socket);
      this.#ofKey.remove(keyId);
      this.#ofAccount.remove(accountId);
    });
    this.#sockets.set(socket, authenticate);
    this.#ofKey.add(keyId);
    this.#ofAccount.add(accountId);
  }

  /** Some keys or accounts have changed: closes the sockets whose keys are no longer active. */
  keysChanged(): void {
    this.#changeTimer ??= setTimeout(() => {
      this.#changeTimer = undefined;
      void this.#checkKeys();
    }, CHANGES_MS).unref();
  }

  /**
   * After `lingerMs` accepts no more, closes idle sockets, and closes the others when their response has ended; cuts those
   * that remain after `graceMs`.
   */
  async stop({ lingerMs, graceMs }: { lingerMs: number; graceMs: number }): Promise<void> {
    await delay(lingerMs, undefined, { ref: false });
    this.#isStopping = true;
    for (const socket of this.#sockets.keys()) socket.close(CLOSE.stopping);
    const deadline = performance.now() + graceMs;
    while (this.#sockets.size > 0 && performance.now() < deadline)
      await delay(CHECK_MS / 10, undefined, { ref: false });
    for (const socket of this.#sockets.keys()) socket.terminate();
    for (const timer of this.#timers) clearInterval(timer);
    clearTimeout(this.#changeTimer);
  }

  #checkTimes(): void {
    const now = performance.now();
    for (const socket of this.#sockets.keys()) socket.check(now);
  }

  /** Keys that cannot be looked up now keep their sockets: the next message is refused if the key cannot be either. */
  async #checkKeys(): Promise<void> {
    await Promise.allSettled(
      [...this.#sockets].map(async ([socket, authenticate]) => {
        const result = await authenticate();
        if (result.kind === 'refused') socket.close(closeForKey(result.reason));
      }),
    );
  }
}
