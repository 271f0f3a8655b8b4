import { sha256Hex } from '@tollgate/common/keys/index';
import { Timeline } from './timeline.ts';

/** An account as its operator knows it. */
export class KnownAccount {
  readonly accountId: string;
  /** Carried by its keys; the hash tag of their entries in Redis. */
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
  /** What it is presented as, the latest last. */
  readonly values: KnownValue[] = [];
  /** Models it may call; none named: all. */
  readonly models = new Timeline<readonly string[]>([]);
  /** Whether requests may be refused for their number. */
  readonly limited = new Timeline(false);
  /** Whether calls that cost anything must be refused. */
  readonly capped = new Timeline(false);

  constructor(keyId: string, account: KnownAccount) {
    this.keyId = keyId;
    this.account = account;
  }
}

/** A text under which a key is presented: rotation gives it another. */
export class KnownValue {
  readonly text: string;
  readonly sha256: string;
  readonly key: KnownKey;
  readonly good = new Timeline(true);
  /** When an overlap ends that has been asked for, by a clock that may be wrong; undefined: none has. */
  endsAt: number | undefined;

  constructor(text: string, key: KnownKey) {
    this.text = text;
    this.sha256 = sha256Hex(text);
    this.key = key;
    key.values.push(this);
  }
}

/** What a request asks for. */
export type Ask = { kind: 'models' } | { kind: 'balance' } | { kind: 'chat'; model: string };

/** A request and what came of it; times of this process's clock in milliseconds. */
export interface Sent {
  value: KnownValue;
  ask: Ask;
  ingress: string;
  beganAt: number;
  endedAt: number;
  /** Undefined where there was no response. */
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

/** How many requests of a key were accepted while a limit held that lets through so many. */
export interface Tally {
  value: KnownValue;
  accepted: number;
  max: number;
}
