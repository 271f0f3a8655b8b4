import { accountTagOf, keyPrefix } from '@tollgate/common/keys/index';
import type { KeyAuthenticator, KeyRefusalReason } from '../authenticate/index.ts';
import { type ApiError, apiErrors } from '../errors/api-error.ts';
import type { TollgateRequest, TollgateResponse } from '../http/request-context.ts';
import type { Acquaintance, Attempts } from './attempts.ts';
import { networkOf } from './network-of.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** A request with a larger body is not kept waiting. */
const LARGEST_LIGHT_BODY = 16_384;

const NONE: Acquaintance = { kind: 'none' };
const KEY: Acquaintance = { kind: 'key' };

export interface GateOptions {
  attempts: Attempts;
  proxies: TrustedProxies;
  authenticator: Pick<KeyAuthenticator, 'knows'>;
  /** The service short name in keys. */
  serviceName: string;
}

/** Where requests present their keys. */
export class Gate {
  readonly #options: GateOptions;
  readonly #prefix: string;

  constructor(options: GateOptions) {
    this.#options = options;
    this.#prefix = keyPrefix(options.serviceName);
  }

  /** Begins with a request; costs next to nothing while it does not fail. */
  enter(req: TollgateRequest, res: TollgateResponse): GateVisit {
    return new GateVisit(this.#options, this.#prefix, req, res);
  }
}

/** One request at the gate. */
export class GateVisit {
  readonly #options: GateOptions;
  readonly #prefix: string;
  readonly #req: TollgateRequest;
  readonly #res: TollgateResponse;
  #network: string | undefined;
  #acquaintance = NONE;

  constructor(options: GateOptions, prefix: string, req: TollgateRequest, res: TollgateResponse) {
    this.#options = options;
    this.#prefix = prefix;
    this.#req = req;
    this.#res = res;
  }

  /** To be asked before stores are asked for a well-formed key: how long the client is to wait; 0: not at all. */
  waitBeforeLook(text: string): number {
    const { attempts } = this.#options;
    if (attempts.networks === 0 || !attempts.remembers(this.#client)) return 0;
    this.#acquaintance = this.#acquaintanceOf(text);
    return attempts.waitBeforeLook(this.#client, this.#acquaintance);
  }

  /** To be called for a good key. */
  passed(accountTag: string): void {
    this.#options.attempts.welcome(accountTag);
  }

  /** To be called for a request without a key. */
  missing(): void {
    this.#options.attempts.missing(this.#client);
  }

  /** Resolves with the answer to a refused key, once it may be answered. */
  async refused(credential: 'bearer' | 'header', reason: KeyRefusalReason): Promise<ApiError> {
    const { attempts } = this.#options;
    const network = this.#client;
    if (reason !== 'malformed' && this.#acquaintance.kind !== 'key') attempts.lookedInVain(network, this.#acquaintance);
    const onLeft = (listener: () => void) => void this.#res.once('close', listener);
    const verdict = await attempts.failed({ network, onLeft, isLight: this.#isLight }, reason);
    return verdict.kind === 'refuse'
      ? apiErrors.refusedKey(credential, reason)
      : apiErrors.tooManyFailures(verdict.retryAfterMs);
  }

  get #client(): string {
    this.#network ??= this.#findNetwork();
    return this.#network;
  }

  #findNetwork(): string {
    const forwardedFor = this.#req.headers['x-forwarded-for'];
    const address = this.#options.proxies.clientOf(this.#req.socket.remoteAddress ?? '', textOf(forwardedFor));
    return networkOf(address) ?? 'unknown';
  }

  #acquaintanceOf(text: string): Acquaintance {
    if (this.#options.authenticator.knows(text)) return KEY;
    const tag = accountTagOf(this.#prefix, text);
    return tag !== undefined && this.#options.attempts.isKnownAccount(tag) ? { kind: 'account', tag } : NONE;
  }

  get #isLight(): boolean {
    const { headers } = this.#req;
    return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= LARGEST_LIGHT_BODY;
  }
}

/** A header sent several times is a list in one. */
function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.join(',') : header;
}
