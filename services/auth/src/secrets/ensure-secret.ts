import type { Logger } from '@tollgate/common/logging';
import { ConflictError, type Secret, type Secrets } from './kubernetes.ts';

/** Maximum attempts for a Secret that other clients change at the same time. */
const ATTEMPTS = 5;

/** The files of a Secret, as text. */
export type Files = Readonly<Record<string, string>>;

/** What to do with a Secret. */
export type Plan = { action: 'keep' } | { action: 'write'; why: string; files: Files };

/** A Secret that must exist. */
export interface WantedSecret {
  name: string;
  /** Type of a new Secret. */
  type: 'kubernetes.io/tls' | 'Opaque';
  labels: Record<string, string>;
}

/**
 * Carries out the plan for a Secret; plans again when another client has changed it meanwhile.
 *
 * @param planFor plans by the files that the Secret has now, undefined when it does not exist
 */
export async function ensureSecret<T>(
  { secrets, logger }: { secrets: Secrets; logger: Logger },
  { name, type, labels }: WantedSecret,
  planFor: (kept: Files | undefined) => Promise<{ plan: Plan; result: T }>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const secret = await secrets.read(name);
    const { plan, result } = await planFor(filesOf(secret));
    if (plan.action === 'keep') {
      logger.info({ secret: name }, 'the secret is kept');
      return result;
    }
    try {
      const data = dataOf(plan.files);
      if (secret === undefined)
        await secrets.create({ apiVersion: 'v1', kind: 'Secret', type, metadata: { name, labels }, data });
      else await secrets.replace({ ...secret, data: { ...secret.data, ...data } });
      logger.info({ secret: name, why: plan.why }, 'the secret was written');
      return result;
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}

export function filesOf(secret: Secret | undefined): Files | undefined {
  if (secret === undefined) return undefined;
  const entries = Object.entries(secret.data ?? {});
  return Object.fromEntries(entries.map(([name, data]) => [name, Buffer.from(data, 'base64').toString()]));
}

function dataOf(files: Files): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}
