/** How a client reaches the gateway. */
export interface Connection {
  /** Base URL of the gateway, without a path. */
  baseUrl: string;
  /** `SERVICE_NAME` of the gateway. */
  serviceName: string;
  /** The key, where it may be shown; null: a placeholder, or the name of the environment variable that has it. */
  secret: string | null;
  model: string;
  /** Sizes of the model, for clients that ask for them. */
  contextWindow: number | null;
  maxOutputTokens: number | null;
  /** What the model takes: `text`, `image`, `file`, `audio`. */
  inputModalities: readonly string[];
}

/** Stands for the key where it may not be shown. */
export const KEY_PLACEHOLDER = '…';

/** Ids of providers that Codex and opencode define themselves. */
const RESERVED_IDS: ReadonlySet<string> = new Set(['openai', 'ollama', 'lmstudio', 'anthropic', 'google']);

/** The base URL without a slash at its end. */
export function baseUrlOf(connection: Connection): string {
  return connection.baseUrl.replace(/\/+$/, '');
}

/** Name of the environment variable with the key, such as `TOLLGATE_KEY`. */
export function keyVariable(serviceName: string): string {
  const name = serviceName.toUpperCase().replace(/[^A-Z0-9]+/g, '_');
  return `${/^[A-Z]/.test(name) ? '' : 'GATEWAY_'}${name}_KEY`.replace(/_+/g, '_');
}

/** Id of the gateway as a provider of models, in the configuration of coding agents. */
export function providerId(serviceName: string): string {
  const id =
    serviceName
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '') || 'gateway';
  return RESERVED_IDS.has(id) ? `${id}-gateway` : id;
}

/** The service's name as people write it. */
export function displayName(serviceName: string): string {
  return serviceName.charAt(0).toUpperCase() + serviceName.slice(1);
}
