import type { Logger } from '@tollgate/common/logging';
import { z } from 'zod';
import { ConflictError, type Secret, type Secrets } from './kubernetes.ts';
import { type Files, type Plan, planAuthority, planCertificate, type Timing } from './plan.ts';
import type { KeyPair } from './x509.ts';

/** Maximum attempts for a Secret that other clients change at the same time. */
const ATTEMPTS = 5;

const secretName = z.string().min(1).max(253);

/** The certificates that must exist. */
export const wantedSchema = z.object({
  authority: z.object({
    secret: secretName,
    /** A Secret of an earlier version of the chart whose authority is adopted if there is none yet. */
    formerSecret: secretName,
    commonName: z.string().min(1).max(64),
  }),
  certificates: z.array(z.object({ secret: secretName, dnsNames: z.array(z.string().min(1)).min(1) })).min(1),
  labels: z.record(z.string(), z.string()),
});
export type Wanted = z.output<typeof wantedSchema>;

export interface EnsureOptions {
  secrets: Secrets;
  wanted: Wanted;
  timing: Timing;
  logger: Logger;
}

/**
 * Ensures that the authority and every certificate exist and are valid. Valid ones stay unchanged, so that it can run at any
 * time, also concurrently.
 */
export async function ensureCertificates(options: EnsureOptions): Promise<void> {
  const { secrets, wanted, timing } = options;
  const { secret, formerSecret, commonName } = wanted.authority;
  const authority = await apply<KeyPair>(options, secret, async (kept) => {
    if (kept !== undefined) {
      const planned = planAuthority(kept, commonName, timing);
      return { plan: planned.plan, result: planned.authority };
    }
    const former = filesOf(await secrets.read(formerSecret));
    const planned = planAuthority(former, commonName, timing);
    const { plan } = planned;
    if (former === undefined || plan.action === 'write') return { plan, result: planned.authority };
    const files = { 'tls.crt': former['tls.crt'] ?? '', 'tls.key': former['tls.key'] ?? '' };
    return { plan: { action: 'write', why: `it was in ${formerSecret}`, files }, result: planned.authority };
  });
  for (const certificate of wanted.certificates) {
    await apply(options, certificate.secret, (kept) => {
      const plan = planCertificate(kept, certificate.dnsNames, authority, timing);
      return Promise.resolve({ plan, result: undefined });
    });
  }
}

/** Carries out the plan for a Secret; plans again when another client has changed it meanwhile. */
async function apply<T>(
  { secrets, wanted, logger }: EnsureOptions,
  name: string,
  planFor: (kept: Files | undefined) => Promise<{ plan: Plan; result: T }>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const secret = await secrets.read(name);
    const { plan, result } = await planFor(filesOf(secret));
    if (plan.action === 'keep') {
      logger.info({ secret: name }, 'the certificate is kept');
      return result;
    }
    try {
      const data = dataOf(plan.files);
      if (secret === undefined) await secrets.create(newSecret(name, wanted.labels, data));
      else await secrets.replace({ ...secret, data: { ...secret.data, ...data } });
      logger.info({ secret: name, why: plan.why }, 'a certificate was written');
      return result;
    } catch (error) {
      if (!(error instanceof ConflictError) || attempt === ATTEMPTS) throw error;
    }
  }
}

function newSecret(name: string, labels: Record<string, string>, data: Record<string, string>): Secret {
  return { apiVersion: 'v1', kind: 'Secret', type: 'kubernetes.io/tls', metadata: { name, labels }, data };
}

function filesOf(secret: Secret | undefined): Files | undefined {
  if (secret === undefined) return undefined;
  const entries = Object.entries(secret.data ?? {});
  return Object.fromEntries(entries.map(([name, data]) => [name, Buffer.from(data, 'base64').toString()]));
}

function dataOf(files: Files): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, Buffer.from(text).toString('base64')]));
}
