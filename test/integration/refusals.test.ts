import { type OperatorClients, openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { newId } from '@tollgate/common/ids';
import type { RefusalReason } from '@tollgate/common/refusal-reasons';
import { Role } from '@tollgate/proto/auth';
import { ListRefusalsRequest, type Refusal } from '@tollgate/proto/ledger';
import type { Account } from '@tollgate/test-support/gateway/accounts';
import { billing, recently, recordOf } from '@tollgate/test-support/gateway/billing';
import { chatRequest, type Gateway, say, simulate } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { at, listAt, textAt } from '@tollgate/test-support/gateway/json';
import { afterAll, describe, expect, it } from 'vitest';
import { expectModelError } from './support/errors.ts';
import { withGateway } from './support/shared-gateway.ts';

const CALL = { deadlineMs: 20_000 };
/** A refusal is best effort, but appears while its cause is still on the screen. */
const SOON = { timeout: 10_000 };
const PROMPT = 'the-prompt-nobody-may-read';
/** What a client must not send, and does when its settings are mixed up. */
const SECRET = 'sk-ant-api03-nobody-may-read-this-either';
const PLENTY = 1_000_000_000n;

let gateway: Gateway;
let clients: OperatorClients;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  const { auth, ledger } = gateway.stack.facts.grpc;
  clients = openOperatorClients({ auth, ledger });
});
afterAll(() => clients?.close());

function request(fields: object = {}): object {
  return { model: 'small', messages: say(PROMPT), max_tokens: 200, ...simulate({ output_tokens: 2 }), ...fields };
}

function idsOf({ headers }: WireResponse): { requestId: string; traceId: string } {
  return {
    requestId: textAt(headers, 'x-request-id'),
    traceId: textAt(headers, 'x-trace-id').replaceAll('-', ''),
  };
}

/** All refusals of an account in the last hour, newest first. */
async function refusalsOf(accountId: string): Promise<Refusal[]> {
  const now = Date.now();
  const { refusals } = await unaryCall(
    clients.ledger.listRefusals.bind(clients.ledger),
    ListRefusalsRequest.fromPartial({
      accountId,
      startMs: BigInt(now - 3_600_000),
      endMs: BigInt(now + 60_000),
      limit: 1_000,
    }),
    CALL,
  );
  return refusals;
}

function findRefusal(accountId: string, by: { requestId: string } | { traceId: string }): Promise<Refusal> {
  const named =
    'requestId' in by
      ? { $case: 'requestId' as const, value: by.requestId }
      : { $case: 'traceId' as const, value: by.traceId };
  return unaryCall(clients.ledger.getRefusal.bind(clients.ledger), { accountId, by: named }, CALL);
}

async function unknownKeys(): Promise<bigint> {
  return (await unaryCall(clients.ledger.getStatus.bind(clients.ledger), {}, CALL)).unknownKeys;
}

interface Case {
  what: string;
  reason: RefusalReason;
  /** An account whose next request is refused. */
  prepare: () => Promise<Account>;
  body?: object | string;
  /** Empty: the key is refused before the body is read. */
  model?: string;
}

const funded = () => gateway.accounts.create(PLENTY);

const CASES: Case[] = [
  {
    what: 'a deleted key',
    reason: 'key_deleted',
    model: '',
    prepare: async () => {
      const account = await funded();
      await gateway.accounts.deleteKey(account.keyId);
      return account;
    },
  },
  {
    what: 'an expired key',
    reason: 'key_expired',
    model: '',
    prepare: async () => {
      const account = await funded();
      const expiresAtMs = Date.now() + 1_500;
      const key = await gateway.accounts.createKey(account.accountId, { expiresAtMs });
      await expect.poll(() => Date.now(), { timeout: 5_000 }).toBeGreaterThan(expiresAtMs);
      return { accountId: account.accountId, ...key };
    },
  },
  {
    what: 'a request over a spending cap',
    reason: 'cap_exceeded',
    prepare: () => gateway.accounts.create(PLENTY, { caps: { dayNanos: 1n } }),
  },
  {
    what: 'a request without credit',
    reason: 'insufficient_balance',
    prepare: () => gateway.accounts.create(0n),
  },
  {
    what: 'a malformed request',
    reason: 'invalid_request',
    prepare: funded,
    body: `{"model":"small","messages":[{"role":"user","content":"${PROMPT}"}`,
  },
  {
    what: 'a request with a wrong field',
    reason: 'invalid_request',
    prepare: funded,
    body: request({ temperature: PROMPT }),
  },
  {
    what: 'a request of an unknown model',
    reason: 'model_not_available',
    prepare: funded,
    body: request({ model: 'nobody-has-this' }),
    model: 'nobody-has-this',
  },
  {
    what: 'a request with a key for its model',
    reason: 'model_not_available',
    prepare: funded,
    body: request({ model: SECRET }),
    model: '[redacted]',
  },
  {
    what: 'a malformed request with a key in it',
    reason: 'invalid_request',
    prepare: funded,
    body: `{"model":"small","api_key":"${SECRET}","messages":"${PROMPT}" ${SECRET}}`,
  },
  {
    what: 'a request with a key in a wrong field',
    reason: 'invalid_request',
    prepare: funded,
    body: request({ stop: { [SECRET]: SECRET }, tools: SECRET }),
  },
];

describe('the refusal', () => {
  it.each(CASES)('of $what is found soon by list, request id and trace id, with its reason', async (refused) => {
    const { reason, prepare, body = request(), model = 'small' } = refused;
    const account = await prepare();
    const wire = chatRequest(account.key, body);
    const response = await gateway.send({ ...wire, headers: { ...wire.headers, 'x-tollgate-session': 'nightly' } });
    expect(response.status).toBeGreaterThanOrEqual(400);
    const { requestId, traceId } = idsOf(response);
    await expect.poll(async () => (await refusalsOf(account.accountId)).length, SOON).toBe(1);
    const [listed] = await refusalsOf(account.accountId);
    expect(listed).toMatchObject({
      ...{ requestId, traceId, accountId: account.accountId, keyId: account.keyId, model, reason },
      protocolIn: 'openai-chat',
      httpStatus: response.status,
      errorType: at(response.json, 'error', 'type'),
      message: textAt(response.json, 'error', 'message').replaceAll(SECRET, '[redacted]'),
      clientSessionId: 'nightly',
    });
    for (const text of [PROMPT, SECRET, account.key]) {
      expect(Object.values(listed ?? {}).join('\n')).not.toContain(text);
      expect(gateway.stack.logs.read('ingress').join('\n')).not.toContain(text);
    }
    expect(await findRefusal(account.accountId, { requestId })).toEqual(listed);
    expect(await findRefusal(account.accountId, { traceId })).toEqual(listed);
    const stranger = await gateway.accounts.create(0n);
    await expect(findRefusal(stranger.accountId, { requestId })).rejects.toMatchObject({ code: 5 });
  });
});

describe('a key of no account', () => {
  /** Well-formed, so that only a store can reject it. */
  const unknownKey = async () => {
    const { key, accountId } = await funded();
    const index = key.length - 12;
    const changed = `${key.slice(0, index)}${key[index] === 'k' ? 'm' : 'k'}${key.slice(index + 1)}`;
    return { key: changed, accountId };
  };
  const managementKey = async () => {
    const { accountId } = await funded();
    const { secret } = await unaryCall(
      clients.auth.createManagementKey.bind(clients.auth),
      { accountId, name: 'a program', role: Role.ADMIN, expiresAtMs: BigInt(Date.now() + 3_600_000) },
      CALL,
    );
    expect(secret).toMatch(/^mk-tollgate-/);
    return { key: secret, accountId };
  };

  it.each([
    ['an unknown key', unknownKey],
    ['a management key', managementKey],
  ])('such as %s gets a 401 and is only counted', async (_, create) => {
    const { key, accountId } = await create();
    const before = await unknownKeys();
    const response = await gateway.chat(key, request());
    expectModelError(response, { status: 401, type: 'invalid_bearer_token' });
    await expect.poll(unknownKeys, SOON).toBeGreaterThan(before);
    expect(await refusalsOf(accountId)).toEqual([]);
  });
});

describe('the session of a client', () => {
  it('is on the charge, and finds it in the billing API, as a tag of the key does', async () => {
    const account = await gateway.accounts.create(PLENTY, { tags: { team: 'search' } });
    const sibling = await gateway.accounts.createKey(account.accountId);
    const session = `session ${newId()}`;
    const call = async (key: string, headers: Record<string, string>) => {
      const wire = chatRequest(key, request());
      const response = await gateway.send({ ...wire, headers: { ...wire.headers, ...headers } });
      expect(response.status).toBe(200);
      return idsOf(response).requestId;
    };
    const named = await call(account.key, { 'x-tollgate-session': session });
    const other = await call(account.key, {});
    const untagged = await call(sibling.key, { 'x-claude-code-session-id': session });
    expect(await recordOf(gateway, account, named)).toMatchObject({ session, tags: { team: 'search' } });
    const idsBy = async (filter: string) => {
      const { json } = await billing(gateway, account, `requests?${recently()}&${filter}`);
      return listAt(json, 'data').map((record) => at(record, 'request_id'));
    };
    await expect.poll(() => idsBy('limit=10'), SOON).toEqual([untagged, other, named]);
    expect(await idsBy(`session=${encodeURIComponent(session)}`)).toEqual([untagged, named]);
    expect(await idsBy(`tag=${encodeURIComponent('team=search')}`)).toEqual([other, named]);
    expect(await idsBy(`session=${encodeURIComponent(session)}&tag=team=search`)).toEqual([named]);
    expect(await idsBy('session=another')).toEqual([]);
  });
});
