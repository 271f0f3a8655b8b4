import { RpcError } from '@tollgate/common/errors';
import { newId } from '@tollgate/common/ids';
import { newKey } from '@tollgate/common/keys/index';
import { inTransaction, type Pool, type PoolClient } from '@tollgate/common/postgres/pool';
import type { CreateDerivedKeyResponse } from '@tollgate/proto/auth';
import { keyAttributes } from '../audit/attributes.ts';
import { setAttributes } from '../audit/differences.ts';
import { insertAudits } from '../store/audit.ts';
import { millisecondsOf, rateLimits, spendingCaps } from '../store/columns.ts';
import {
  type DerivedKeyToInsert,
  insertDerivedKeys,
  lockPaths,
  type ParentRow,
  takeRoom,
} from '../store/derived-keys.ts';
import type { KeyAttributes, KeyRow } from '../store/keys.ts';
import { requireWithin } from './require-within.ts';

/** Maximum keys above a key. */
const MAX_DEPTH = 3;
/** Maximum derived keys of an account that are alive. */
export const MAX_DERIVED_KEYS = 10_000;
/** Maximum keys that one transaction makes. */
const MAX_BATCH = 100;
/** Maximum calls that wait for the transaction before theirs, per account. */
const MAX_WAITING = 1_000;

/** A key that is wanted below another one. */
export interface Derivation {
  parentId: string;
  attributes: KeyAttributes;
  /** Once the call is over, nobody would learn the key's value. */
  signal: AbortSignal;
}

interface Waiting extends Derivation {
  resolve: (made: CreateDerivedKeyResponse) => void;
  reject: (error: unknown) => void;
}

/** A key that is within its bounds. */
interface Approved {
  waiting: Waiting;
  parent: ParentRow;
  key: DerivedKeyToInsert;
  text: string;
}

/**
 * Makes derived keys. Calls for one account wait for each other, as they lock the same keys above and one count; so all that have
 * come while a transaction runs share the next one.
 */
export class Derivations {
  readonly #pool: Pool;
  readonly #serviceName: string;
  /** By account, while a transaction runs for it. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(pool: Pool, serviceName: string) {
    this.#pool = pool;
    this.#serviceName = serviceName;
  }

  create(accountId: string, derivation: Derivation): Promise<CreateDerivedKeyResponse> {
    return new Promise((resolve, reject) => {
      const entry = { ...derivation, resolve, reject };
      const waiting = this.#waiting.get(accountId);
      if (waiting === undefined) {
        this.#waiting.set(accountId, [entry]);
        void this.#run(accountId);
      } else if (waiting.length < MAX_WAITING) waiting.push(entry);
      else reject(new RpcError('unavailable', 'too many derived keys of the account are being made'));
    });
  }

  async #run(accountId: string): Promise<void> {
    const waiting = this.#waiting.get(accountId) ?? [];
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_BATCH).filter(({ signal }) => !signal.aborted);
      try {
        if (batch.length > 0) await this.#make(accountId, batch);
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(accountId);
  }

  async #make(accountId: string, batch: readonly Waiting[]): Promise<void> {
    const made = await inTransaction(this.#pool, async (client) => {
      const parentIds = [...new Set(batch.map(({ parentId }) => parentId))];
      const known = await lockPaths(client, accountId, parentIds);
      const approved = batch.flatMap((waiting) => this.#approve(accountId, waiting, known));
      if (approved.length === 0) return undefined;
      const room = await takeRoom(client, accountId, approved.length, MAX_DERIVED_KEYS);
      for (const { waiting } of approved.splice(room)) waiting.reject(full());
      return approved.length === 0 ? undefined : { approved, createdAt: await insert(client, approved) };
    });
    for (const each of made?.approved ?? []) each.waiting.resolve(responseOf(each, made?.createdAt ?? new Date()));
  }

  /** Refuses a key that is not within its bounds. */
  #approve(accountId: string, waiting: Waiting, known: ReadonlyMap<string, ParentRow>): Approved[] {
    try {
      const { parentId, attributes } = waiting;
      const path = pathOf(known, parentId);
      const parent = requireAlive(path);
      if (path.length > MAX_DEPTH)
        throw new RpcError('failed_precondition', `a key can have at most ${MAX_DEPTH} keys above it`);
      requireWithin(path, attributes);
      const { text, sha256, displayPrefix, lastFour } = newKey(this.#serviceName, parent.tag);
      const key = {
        ...{ keyId: newId(), accountId, sha256, displayPrefix, lastFour, ...attributes },
        ...{ project_id: parent.project_id, owner_id: parent.owner_id },
        createdBy: { id: '', name: parent.name },
        aboveKeyIds: path.map((each) => each.key_id),
      };
      return [{ waiting, parent, key, text }];
    } catch (error) {
      waiting.reject(error);
      return [];
    }
  }
}

function full(): RpcError {
  return new RpcError('resource_exhausted', `an account can have at most ${MAX_DERIVED_KEYS} derived keys`);
}

/** A key with those above it, root first; empty: there is none. */
function pathOf(known: ReadonlyMap<string, ParentRow>, keyId: string): ParentRow[] {
  const key = known.get(keyId);
  if (key === undefined) return [];
  return [...(key.above_key_ids ?? []), keyId].flatMap((id) => known.get(id) ?? []);
}

/** The last key of a path whose keys are all alive. */
function requireAlive(path: readonly ParentRow[]): ParentRow {
  const parent = path.at(-1);
  const nowMs = Date.now();
  const hasEnded = ({ deleted_at, expires_at }: KeyRow) =>
    deleted_at !== null || (expires_at !== null && expires_at.getTime() <= nowMs);
  if (parent === undefined || parent.suspended || parent.off || path.some(hasEnded))
    throw new RpcError('not_found', 'no such key, or it is not active');
  return parent;
}

async function insert(client: PoolClient, approved: readonly Approved[]): Promise<Date> {
  const createdAt = await insertDerivedKeys(
    client,
    approved.map(({ key }) => key),
  );
  const changes = approved.map(({ key, parent }) => ({
    accountId: key.accountId,
    actor: { id: parent.key_id, name: parent.name, role: '' as const, via: 'key' as const },
    action: 'key.derive',
    ...{ targetId: key.keyId, targetName: key.name },
    details: setAttributes(keyAttributes({ ...parent, ...key })),
  }));
  await insertAudits(client, changes);
  return createdAt;
}

function responseOf({ key, parent, text }: Approved, createdAt: Date): CreateDerivedKeyResponse {
  return {
    key: {
      keyId: key.keyId,
      parentKeyId: parent.key_id,
      name: key.name,
      createdAtMs: millisecondsOf(createdAt),
      expiresAtMs: millisecondsOf(key.expires_at),
      allowedModels: key.allowed_models,
      caps: spendingCaps(key),
      limits: rateLimits(key),
      tags: key.tags,
    },
    secret: text,
  };
}
