import type { Diagnostic } from '../../../request/diagnostics.ts';
import type { OpenaiEmbeddings } from '../shared/schema.ts';

/**
 * Fields that are not part of OpenAI's embeddings but of compatible upstreams, each with the values that cost nothing
 * extra. They select another model or tier, or add inputs that are not counted.
 */
const PRICED_EXTENSIONS: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['service_tier', ['auto', 'default']],
  ['models', []],
  ['fallbacks', []],
  ['plugins', []],
  ['messages', []],
]);

/** The first field that the call is rejected for, since it may cost more than its hold. */
export function checkPolicy(request: OpenaiEmbeddings): Diagnostic | undefined {
  for (const [path, harmless] of PRICED_EXTENSIONS) {
    const value = request[path];
    if (value === undefined || value === null || harmless.includes(value)) continue;
    return { path, message: `${path}: not supported, since its price is not known; remove it` };
  }
  return undefined;
}
