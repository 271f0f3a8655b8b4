import { z } from 'zod';

const TIMEOUT_MS = 10_000;

const secretSchema = z.looseObject({
  metadata: z.looseObject({ name: z.string(), resourceVersion: z.string().optional() }),
  type: z.string().optional(),
  data: z.record(z.string(), z.string()).optional(),
});

/** A Kubernetes Secret, with its data in base64. */
export type Secret = z.output<typeof secretSchema>;

/** Another client has created or changed the Secret in the meantime. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

/** The Secrets of a namespace. */
export interface Secrets {
  /** @returns undefined when it does not exist */
  read: (name: string) => Promise<Secret | undefined>;
  /** @throws ConflictError */
  create: (secret: Secret) => Promise<void>;
  /** Replaces a Secret that was read. @throws ConflictError */
  replace: (secret: Secret) => Promise<void>;
}

export interface KubernetesOptions {
  /** Of the API server, such as `https://10.96.0.1:443`. */
  url: string;
  token: string;
  namespace: string;
}

/** The Secrets of a namespace. By hand: three requests need no client library, which would be the largest dependency. */
export function openSecrets({ url, token, namespace }: KubernetesOptions): Secrets {
  const collection = `${url}/api/v1/namespaces/${namespace}/secrets`;
  const send = async (method: string, path: string, secret?: Secret) => {
    const response = await fetch(`${collection}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(secret === undefined ? {} : { body: JSON.stringify(secret) }),
    });
    const text = await response.text();
    if (response.ok) return text;
    if (response.status === 404 && method === 'GET') return undefined;
    const message = `${method} of secret ${path.slice(1) || secret?.metadata.name}: ${response.status} ${reasonOf(text)}`;
    throw response.status === 409 ? new ConflictError(message) : new Error(message);
  };
  return {
    read: async (name) => {
      const text = await send('GET', `/${name}`);
      return text === undefined ? undefined : secretSchema.parse(JSON.parse(text));
    },
    create: async (secret) => {
      await send('POST', '', secret);
    },
    replace: async (secret) => {
      await send('PUT', `/${secret.metadata.name}`, secret);
    },
  };
}

/** The message of a Status; other text does not come from an API server and is not shown. */
function reasonOf(text: string): string {
  try {
    const parsed = z.object({ message: z.string() }).safeParse(JSON.parse(text));
    return parsed.data?.message ?? '';
  } catch {
    return '';
  }
}
