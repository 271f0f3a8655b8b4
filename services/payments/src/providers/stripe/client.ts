import { Stripe } from 'stripe';
import { ProviderError } from '../provider.ts';

/** The version of Stripe's API that this code is written for. The webhook endpoint is made with the same one. */
export const API_VERSION = '2026-10-28.endive';

const TIMEOUT_MS = 10_000;
const MAX_RETRIES = 1;

export interface StripeClientOptions {
  secretKey: string;
  /** A stand-in; undefined: Stripe. */
  apiUrl: string | undefined;
}

/** Creates a client of Stripe's API. */
export function createStripeClient({ secretKey, apiUrl }: StripeClientOptions): Stripe {
  return new Stripe(secretKey, {
    apiVersion: API_VERSION,
    timeout: TIMEOUT_MS,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
    appInfo: { name: 'Tollgate' },
    ...(apiUrl === undefined ? {} : addressOf(new URL(apiUrl))),
  });
}

function addressOf({ protocol, hostname, port }: URL): { protocol: 'http' | 'https'; host: string; port: string } {
  const isSecure = protocol === 'https:';
  return { protocol: isSecure ? 'https' : 'http', host: hostname, port: port || (isSecure ? '443' : '80') };
}

const MISSING = 'resource_missing';

/** Makes a call of Stripe; its errors become ours. */
export async function calling<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw providerErrorOf(error);
  }
}

/** As calling; undefined if what is asked for does not exist. */
export async function callingOrMissing<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && error.code === MISSING) return undefined;
    throw providerErrorOf(error);
  }
}

function providerErrorOf(error: unknown): unknown {
  if (!(error instanceof Stripe.errors.StripeError)) return error;
  const code = error.code ?? error.type;
  const message = `Stripe: ${error.message}`;
  const options = {
    cause: { type: error.type, code: error.code, requestId: error.requestId, status: error.statusCode },
  };
  if (error.code === MISSING && error.param === 'customer')
    return new ProviderError('no_customer', code, message, options);
  return new ProviderError(isFinal(error) ? 'refused' : 'unavailable', code, message, options);
}

/**
 * Whether Stripe refused for good. A wrong key, a missing permission and a key in use may be mended: whether it was done is not
 * decided by them.
 */
function isFinal(error: InstanceType<typeof Stripe.errors.StripeError>): boolean {
  return (
    error instanceof Stripe.errors.StripeInvalidRequestError && error.statusCode !== 409 && error.statusCode !== 429
  );
}
