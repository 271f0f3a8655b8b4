import type { Pause } from '../../shared/scheduling.ts';
import type { RefreshedValue } from './refreshed-value.ts';

/** A call that an identity vouches for. */
export interface OutgoingCall {
  origin: string;
  /** Path with its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** Exactly as it is sent. */
  body: Buffer;
  pause: Pause;
}

/** Headers that prove who calls, or why there are none. */
export type Authorization =
  | { kind: 'headers'; headers: Record<string, string> }
  /** `detail` is for operators, without secrets. */
  | { kind: 'missing'; detail: string };

/** Who this process is at a cloud: obtains short-lived credentials, keeps them fresh, and proves it on each call. */
export interface Identity {
  authorize(call: OutgoingCall): Promise<Authorization>;
  /** The credentials it has now, to be removed from texts. */
  secrets(): readonly string[];
  /** The provider refused the headers: the next call gets new credentials. */
  refused(headers: Readonly<Record<string, string>>): void;
  /** Obtains a credential before the first call. */
  prepare(): void;
  close(): void;
}

/** What each kind of identity needs besides its own settings. */
export interface IdentityContext {
  now: () => number;
  env: NodeJS.ProcessEnv;
  onFailure: (detail: string) => void;
}

/** An identity that proves itself with an access token. */
export function bearerIdentity(token: RefreshedValue<string>): Identity {
  return {
    authorize: async () => {
      const obtained = await token.get();
      if (obtained.kind === 'missing') return obtained;
      return { kind: 'headers', headers: { authorization: `Bearer ${obtained.value}` } };
    },
    secrets: () => (token.last === undefined ? [] : [token.last]),
    refused: (headers) => {
      const { last } = token;
      if (last !== undefined && headers['authorization'] === `Bearer ${last}`) token.discard(last);
    },
    prepare: () => void token.get(),
    close: () => token.close(),
  };
}
