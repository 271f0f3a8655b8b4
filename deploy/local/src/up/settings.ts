import { join, resolve } from 'node:path';
import type { StackOptions } from '../stack/types.ts';
import { dataFolder } from './data-folder.ts';

const DEFAULT_PORT = 8080;
const DEFAULT_CONSOLE_PORT = 8070;

/** Settings of `make up`. */
export interface UpSettings {
  stack: StackOptions;
  /** Catalogue files to combine; at least one. */
  catalogues: string[];
  /** Files that receive the facts when the stack is ready. */
  factsFiles: string[];
}

/**
 * Reads PORT, CONSOLE_PORT, TOLLGATE_INGRESSES, TOLLGATE_CATALOGUE, TOLLGATE_DATA, REDIS_URL and the providers' keys.
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
      sockets: true,
      ingresses: wholeNumber(env, 'TOLLGATE_INGRESSES', 1, 1, 64),
      redis: env['REDIS_URL'] || 'any',
    },
    catalogues: catalogueFiles(env, checkout),
    factsFiles: [...folders].map((folder) => join(folder, 'up.json')),
  };
}

/** Catalogues of real providers, each served if the provider's key is set. */
const PROVIDERS = [
  { variable: 'OPENAI_API_KEY', file: 'openai.yaml' },
  { variable: 'ANTHROPIC_API_KEY', file: 'anthropic.yaml' },
  { variable: 'GEMINI_API_KEY', file: 'gemini.yaml' },
] as const;

function catalogueFiles(env: NodeJS.ProcessEnv, checkout: string): string[] {
  const requested = env['TOLLGATE_CATALOGUE'];
  if (requested !== undefined && requested !== '') return [resolve(requested)];
  const keyed: string[] = PROVIDERS.filter(({ variable }) => (env[variable] ?? '') !== '').map(({ file }) => file);
  const names = keyed.length === 0 ? ['simulated.yaml'] : keyed;
  return names.map((name) => join(checkout, 'deploy/catalogue', name));
}

function wholeNumber(env: NodeJS.ProcessEnv, variable: string, otherwise: number, min: number, max: number): number {
  const text = env[variable];
  if (text === undefined || text === '') return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`${variable} must be an integer from ${min} to ${max}, not "${text}"`);
}
