import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openOperatorClients } from '@tollgate/common/actors/operator';
import { unaryCall } from '@tollgate/common/grpc/client';
import { NANOS_PER_DOLLAR } from '@tollgate/common/money';
import { type AuthServiceClient, CreateKeyRequest, DeleteKeyRequest } from '@tollgate/proto/auth';
import { findDemoAccount } from './demo-account.ts';

const CALL = { deadlineMs: 20_000 };
/** No request is started after this, so that a slow machine is not kept waiting. */
const BUDGET_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const CONCURRENCY = 4;
const ROUNDS = 8;

export interface DemoRequestsOptions {
  /** Notes that the requests have been sent. */
  data: string;
  auth: string;
  ledger: string;
  baseUrl: string;
  /** Ids of simulated models. */
  models: readonly string[];
}

/**
 * Sends real requests of several keys through the gateway, once per data folder, so that the pages of the console show
 * something: other models and protocols, streams, sessions of agents, and requests that are refused.
 */
export async function sendDemoRequests(options: DemoRequestsOptions): Promise<void> {
  const file = join(options.data, 'demo-requests');
  if (existsSync(file)) return;
  const { auth, close } = openOperatorClients(options);
  try {
    const accountId = await findDemoAccount(auth);
    const keys = await createKeys(auth, accountId);
    const deadline = Date.now() + BUDGET_MS;
    const waiting = requestsOf(keys, options.models);
    const sendAll = async () => {
      for (let next = waiting.shift(); next !== undefined && Date.now() < deadline; next = waiting.shift())
        await send(options.baseUrl, next);
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, sendAll));
    const { keyId, secret } = keys.retired;
    await unaryCall(auth.deleteKey.bind(auth), DeleteKeyRequest.fromPartial({ accountId, keyId }), CALL);
    await send(options.baseUrl, chat(secret, options.models[0] ?? '', 'Is this key still valid?'));
    writeFileSync(file, '', { mode: 0o600 });
  } finally {
    close();
  }
}

interface DemoKey {
  keyId: string;
  secret: string;
}

type DemoKeys = Record<'ci' | 'laptop' | 'agent' | 'retired', DemoKey>;

async function createKeys(auth: AuthServiceClient, accountId: string): Promise<DemoKeys> {
  const create = async (name: string, fields: Partial<Parameters<typeof CreateKeyRequest.fromPartial>[0]>) => {
    const request = CreateKeyRequest.fromPartial({ accountId, name, ...fields });
    const { key, secret } = await unaryCall(auth.createKey.bind(auth), request, CALL);
    if (key === undefined) throw new Error('auth returned no key');
    return { keyId: key.keyId, secret };
  };
  return {
    ci: await create('ci-runner', {
      caps: { monthNanos: 5n * NANOS_PER_DOLLAR, dayNanos: NANOS_PER_DOLLAR },
      limits: { requestsPerMinute: 600n },
      tags: { team: 'platform' },
    }),
    laptop: await create('laptop-ana', { tags: { team: 'research' } }),
    agent: await create('coding-agent', { caps: { dayNanos: NANOS_PER_DOLLAR / 4n }, tags: { team: 'research' } }),
    retired: await create('old-prototype', {}),
  };
}

interface DemoRequest {
  path: string;
  key: string;
  body: object;
  headers?: Record<string, string>;
}

function chat(key: string, model: string, content: string, fields: object = {}): DemoRequest {
  return { path: '/v1/chat/completions', key, body: { model, messages: [{ role: 'user', content }], ...fields } };
}

function messages(key: string, model: string, content: string, headers: Record<string, string>): DemoRequest {
  const body = { model, max_tokens: 400, stream: true, messages: [{ role: 'user', content }] };
  return { path: '/v1/messages', key, body, headers };
}

function requestsOf({ ci, laptop, agent, retired }: DemoKeys, models: readonly string[]): DemoRequest[] {
  const model = (index: number) => models[index % models.length] ?? '';
  const text = 'Summarize what changed in the last release, and what an operator should know about it. ';
  return Array.from({ length: ROUNDS }, (_, round) => [
    chat(ci.secret, model(0), text.repeat(round + 1)),
    chat(ci.secret, model(1), text.repeat(2 * round + 1), { max_tokens: 300 }),
    chat(laptop.secret, model(round), text, { stream: true, stream_options: { include_usage: true } }),
    messages(agent.secret, model(1), text.repeat(8 + round), {
      'x-tollgate-session': `demo-session-${1 + (round % 3)}`,
      'x-tollgate-agent': round % 2 === 0 ? 'planner' : 'reviewer',
    }),
    chat(retired.secret, model(2), text),
    ...(round === 2
      ? [chat(laptop.secret, 'a-model-nobody-has', text), chat(ci.secret, model(0), text, { n: 0 })]
      : []),
  ]).flat();
}

/** Sends a request and reads its response; refusals are part of the demo. */
async function send(baseUrl: string, { path, key, body, headers }: DemoRequest): Promise<void> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  });
  await response.arrayBuffer();
}
