import { setTimeout as delay } from 'node:timers/promises';
import { NANOS_PER_DOLLAR } from '@tollgate/common/money';
import { z } from 'zod';
import { makeAccountWithKey, required } from './account-with-key.ts';

/**
 * What `helm test` runs: makes a paid request through the ingress and looks its charge up. BASE_URL is the ingress, MODEL
 * what is called, TOLLGATE_KEY the key; without one, an account "Chart test" is given a dollar once, and a key that is
 * deleted again.
 */
const ATTEMPTS = 30;
const PAUSE_MS = 1_000;
const TIMEOUT_MS = 60_000;

const answer = z.object({ usage: z.object({ cost: z.number().positive() }) });
const charge = z.object({ request_id: z.string(), status: z.string(), cost: z.string() });

const baseUrl = required('BASE_URL');
const model = required('MODEL');
const given = process.env['TOLLGATE_KEY'] || undefined;
const own = given === undefined ? await makeAccountWithKey('Chart test', NANOS_PER_DOLLAR) : undefined;
try {
  await payAndLookUp(given ?? own?.key ?? '');
} finally {
  await own?.deleteKey();
}

async function payAndLookUp(key: string): Promise<void> {
  const response = await callUntilReady(key);
  const requestId = response.headers.get('x-request-id') ?? '';
  const { usage } = answer.parse(await response.json());
  const record = charge.parse(await (await call(key, `/v1/billing/requests/${requestId}`)).json());
  if (record.request_id !== requestId || record.status !== 'completed' || Number(record.cost) !== usage.cost)
    throw new Error(`the charge of ${requestId} is ${record.status} at ${record.cost}, the answer said ${usage.cost}`);
  process.stdout.write(`request ${requestId} was answered by ${model} and charged ${record.cost} dollars\n`);
}

/** A pod that has just come up may not be let in by all network policies yet. */
async function callUntilReady(key: string): Promise<Response> {
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

/** Calls the ingress; anything but 200 is an Error with what it answered. */
async function call(key: string, path: string, body?: object): Promise<Response> {
  const response = await fetch(`${baseUrl}${path}`, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  throw new Error(`${path} was answered ${response.status}: ${await response.text()}`);
}
