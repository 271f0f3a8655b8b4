import { setTimeout as delay } from 'node:timers/promises';
import { NANOS_PER_DOLLAR } from '@tollgate/common/money';
import { z } from 'zod';
import { createAccountWithKey, required } from './account-with-key.ts';

/**
 * Run by `helm test`: makes a paid request to MODEL through the ingress at BASE_URL and looks up its charge. Without
 * TOLLGATE_KEY, it uses an account "Chart test" with one dollar of credit, and a key that it deletes afterwards.
 */
const ATTEMPTS = 30;
const PAUSE_MS = 1_000;
const TIMEOUT_MS = 60_000;

const completion = z.object({ usage: z.object({ cost: z.number().positive() }) });
const charge = z.object({ request_id: z.string(), status: z.string(), cost: z.string() });

async function checkGateway(): Promise<void> {
  const given = process.env['TOLLGATE_KEY'] || undefined;
  const own = given === undefined ? await createAccountWithKey('Chart test', NANOS_PER_DOLLAR) : undefined;
  try {
    await payAndLookUp(given ?? own?.key ?? '');
  } finally {
    await own?.deleteKey();
  }
}

async function payAndLookUp(key: string): Promise<void> {
  const model = required('MODEL');
  const response = await callUntilReady(key, model);
  const requestId = response.headers.get('x-request-id') ?? '';
  const { usage } = completion.parse(await response.json());
  const record = charge.parse(await (await call(key, `/v1/billing/requests/${requestId}`)).json());
  if (record.request_id !== requestId || record.status !== 'completed' || Number(record.cost) !== usage.cost)
    throw new Error(`the charge of ${requestId} is ${record.status} at ${record.cost}, the response ${usage.cost}`);
  process.stdout.write(`request ${requestId} to ${model} was charged ${record.cost} dollars\n`);
}

/** Network policies may not yet admit a pod that has just started. */
async function callUntilReady(key: string, model: string): Promise<Response> {
  const body = { model, max_tokens: 50, messages: [{ role: 'user', content: 'Say hello.' }] };
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await call(key, '/v1/chat/completions', body);
    } catch (error) {
      if (!(error instanceof TypeError) || attempt === ATTEMPTS) throw error;
      await delay(PAUSE_MS);
    }
  }
}

/** Calls the ingress. @throws Error with the response when it failed */
async function call(key: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(`${required('BASE_URL')}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  throw new Error(`${path} returned ${response.status}: ${await response.text()}`);
}

void checkGateway();
