import { isObject } from '../validation/fields.ts';
import type { CountBody } from './schema.ts';

/** Maximum cache breakpoints of a request. */
const MAX_BREAKPOINTS = 4;

/** Rejects too many breakpoints, and long-lived ones after short-lived ones. */
export function cacheFault(body: CountBody): string | undefined {
  const found: string[] = [];
  if (body.cache_control != null) found.push(body.cache_control.ttl ?? '5m');
  for (const block of [body.tools, body.system, ...body.messages.map((message) => message.content)])
    collect(block, found);
  if (found.length > MAX_BREAKPOINTS) {
    return `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${found.length}.`;
  }
  const blocks = body.cache_control == null ? found : found.slice(1);
  if (blocks.lastIndexOf('1h') > blocks.indexOf('5m') && blocks.includes('5m')) {
    return "cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block.";
  }
  return undefined;
}

function collect(blocks: unknown, found: string[]): void {
  if (!Array.isArray(blocks)) return;
  for (const block of blocks) {
    if (!isObject(block)) continue;
    collect(block['content'], found);
    const control = block['cache_control'];
    if (isObject(control)) found.push(control['ttl'] === '1h' ? '1h' : '5m');
  }
}
