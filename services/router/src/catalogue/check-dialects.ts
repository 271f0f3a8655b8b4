import { DIALECT_NAMES } from '../dialects/index.ts';
import type { Finding } from './problem.ts';
import type { ProviderEntry } from './schema.ts';

/**
 * Dialects that are not known. They are no problems: a newer catalogue must load in an older router, and a request without a
 * dialect at worst is rejected by the provider.
 */
export function findUnknownDialects(providers: readonly Pick<ProviderEntry, 'id' | 'dialect'>[]): Finding[] {
  return providers.flatMap(({ dialect }, index) => {
    if (dialect === undefined || DIALECT_NAMES.includes(dialect)) return [];
    const message = `${dialect} is an unknown dialect and has no effect; known are ${DIALECT_NAMES.join(', ')}`;
    return [{ path: ['providers', index, 'dialect'], message }];
  });
}
