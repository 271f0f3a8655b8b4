import { credentials } from '@grpc/grpc-js';
import type { GrpcTls } from '@tollgate/common/grpc/tls';
import type { Release } from './release.ts';

/** The secret with the certificate of a component, as the chart's hook makes it. */
export const certificateOf = (release: Release, component: string) => release.named(`${component}-tls-generated`);

/**
 * Calls services with the certificate of a component, through forwarded ports: those are at another name than any service
 * has, so that it is enough that the service's certificate is of the release's authority.
 */
export async function certifiedAs(component: string, release: Release): Promise<Pick<GrpcTls, 'forClients'>> {
  const file = async (name: string) =>
    Buffer.from(await release.secret(certificateOf(release, component), name.replace('.', '\\.')));
  const [ca, key, cert] = await Promise.all(['ca.crt', 'tls.key', 'tls.crt'].map(file));
  return { forClients: () => credentials.createSsl(ca, key, cert, { checkServerIdentity: () => undefined }) };
}
