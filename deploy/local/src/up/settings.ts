import { join, resolve } from 'node:path';
import { starterCatalogues } from '../catalogue/starters.ts';
import type { StackOptions } from '../stack/types.ts';
import { dataFolder } from './data-folder.ts';

const DEFAULT_PORT = 8080;
const DEFAULT_CONSOLE_PORT = 8070;
const DEFAULT_PAYMENTS_PORT = 8060;

/** Settings of `make up`. */
export interface UpSettings {
  stack: StackOptions;
  /** Catalogue files to combine; at least one. */
  catalogues: string[];
  /** Files that receive the facts when the stack is ready. */
  factsFiles: string[];
}

/**
 * Reads PORT, CONSOLE_PORT, PAYMENTS_PORT, TOLLGATE_INGRESSES, TOLLGATE_CATALOGUE, TOLLGATE_DATA, REDIS_URL and the keys of
 * providers and of Stripe.
 *
 * @throws Error naming an invalid variable
 */
export function readSettings(env: NodeJS.ProcessEnv, checkout: string): UpSettings {
  const requested = env['TOLLGATE_DATA'];
  const data = dataFolder(requested, checkout);
  const folders = new Set([
    join(checkout, '.tollgate'),
    ...(requested === undefined || requested === '' ? [] : [data]),
  ]);
  return {
    stack: {
      data,
      port: wholeNumber(env, 'PORT', DEFAULT_PORT, 1, 65_535),
      console: { port: wholeNumber(env, 'CONSOLE_PORT', DEFAULT_CONSOLE_PORT, 1, 65_535) },
      payments: payments(env),
      sockets: true,
      ingresses: wholeNumber(env, 'TOLLGATE_INGRESSES', 1, 1, 64),
      redis: env['REDIS_URL'] || 'any',
    },
    catalogues: catalogueFiles(env, checkout),
    factsFiles: [...folders].map((folder) => join(folder, 'up.json')),
  };
}

/** Stripe sends its webhooks to a port that is known; those of the stand-in go to a free one. */
function payments(env: NodeJS.ProcessEnv): { port?: number } {
  if ((env['STRIPE_SECRET_KEY'] ?? '') === '') return {};
  if ((env['STRIPE_WEBHOOK_SECRET'] ?? '') === '')
    throw new Error('STRIPE_WEBHOOK_SECRET must be set together with STRIPE_SECRET_KEY: `stripe listen` prints one');
  return { port: wholeNumber(env, 'PAYMENTS_PORT', DEFAULT_PAYMENTS_PORT, 1, 65_535) };
}

/** The configured catalogue, else those of the real providers whose credentials are set, else that of the simulated one. */
function catalogueFiles(env: NodeJS.ProcessEnv, checkout: string): string[] {
  const requested = env['TOLLGATE_CATALOGUE'];
  if (requested !== undefined && requested !== '') return [resolve(requested)];
  const folder = join(checkout, 'deploy/catalogue');
  const usable = starterCatalogues(folder).filter(({ variables }) =>
    variables.every((name) => (env[name] ?? '') !== ''),
  );
  return usable.length === 0 ? [join(folder, 'simulated.yaml')] : usable.map(({ file }) => file);
}

function wholeNumber(env: NodeJS.ProcessEnv, variable: string, otherwise: number, min: number, max: number): number {
  const text = env[variable];
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`${variable} must be an integer from ${min} to ${max}, not "${text}"`);
}
