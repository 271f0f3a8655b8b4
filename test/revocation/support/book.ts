import { sha256Hex } from '@tollgate/common/keys/index';
import { Timeline } from './timeline.ts';

/** An account as its operator knows it. */
export class KnownAccount {
  readonly accountId: string;
  /** Part of its keys; the hash tag of their entries in Redis. */
  readonly tag: string;
  readonly active = new Timeline(true);

  constructor(accountId: string, tag: string) {
    this.accountId = accountId;
    this.tag = tag;
  }
}

/** A key as its operator knows it. */
export class KnownKey {
  readonly keyId: string;
  readonly account: KnownAccount;
  /** Its values, the latest last. */
  readonly values: KnownValue[] = [];
  /** Keys that were made with it. */
  readonly below: KnownKey[] = [];
  /** Models that it may call; empty: all. */
  readonly models = new Timeline<readonly string[]>([]);
  /** Whether requests may be refused by a rate limit. */
  readonly limited = new Timeline(false);
  /** Whether calls with a cost must be refused. */
  readonly capped = new Timeline(false);

  constructor(keyId: string, account: KnownAccount) {
    this.keyId = keyId;
    this.account = account;
  }
}

/** The text of a key; a rotation gives it another. */
export class KnownValue {
  readonly text: string;
  readonly sha256: string;
  readonly key: KnownKey;
  readonly good = new Timeline(true);
  /** End of a requested overlap, by a clock that may be wrong; undefined if there is none. */
  endsAt: number | undefined;

  constructor(text: string, key: KnownKey) {
    this.text = text;
    this.sha256 = sha256Hex(text);
    this.key = key;
    key.values.push(this);
  }
}

/** The kind of a request. */
export type Ask = { kind: 'models' } | { kind: 'limits' } | { kind: 'chat'; model: string };

/** A request and its outcome; times are milliseconds of this process's clock. */
export interface Sent {
  value: KnownValue;
  ask: Ask;
  ingress: string;
  beganAt: number;
  endedAt: number;
  /** Undefined if there was no response. */
  status: number | undefined;
  /** Of a response other than 200: type and message of the error, or how the connection broke. */
  error: { type: string; message: string } | undefined;
}

/** What Redis had of a key's value at some time. */
export interface Look {
  value: KnownValue;
  from: number;
  to: number;
  found: 'missing' | 'record';
}

/** The number of a key's requests accepted during a limit, and the number that it allows. */
export interface Tally {
  value: KnownValue;
  accepted: number;
  max: number;
}
