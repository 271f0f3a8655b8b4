import type { Logger } from '@tollgate/common/logging';
import { z } from 'zod';
import { ensureSecret, type Files, filesOf, type Plan } from '../secrets/ensure-secret.ts';
import type { Secrets } from '../secrets/kubernetes.ts';
import { planAuthority, planCertificate, type Timing } from './plan.ts';
import type { KeyPair } from './x509.ts';

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
  const apply = <T>(name: string, planFor: (kept: Files | undefined) => Promise<{ plan: Plan; result: T }>) =>
    ensureSecret(options, { name, type: 'kubernetes.io/tls', labels: wanted.labels }, planFor);
  const authority = await apply<KeyPair>(secret, async (kept) => {
    if (kept !== undefined) {
      const planned = await planAuthority(kept, commonName, timing);
      return { plan: planned.plan, result: planned.authority };
    }
    const former = filesOf(await secrets.read(formerSecret));
    const planned = await planAuthority(former, commonName, timing);
    const { plan } = planned;
    if (former === undefined || plan.action === 'write') return { plan, result: planned.authority };
    const files = { 'tls.crt': former['tls.crt'] ?? '', 'tls.key': former['tls.key'] ?? '' };
    return { plan: { action: 'write', why: `it was in ${formerSecret}`, files }, result: planned.authority };
  });
  for (const certificate of wanted.certificates) {
    await apply(certificate.secret, async (kept) => {
      const plan = await planCertificate(kept, certificate.dnsNames, authority, timing);
      return { plan, result: undefined };
    });
  }
}
