import type { CacheWriteBucket } from '../../canonical/usage.ts';
import { isRecord, isSet, type JsonRecord, recordOr } from '../../json/record.ts';
import { diagnostic } from '../../request/diagnostics.ts';
import type { ParsedRequest } from './parse.ts';
import type { PolicyFindings } from './policy-result.ts';

/** How long a cache keeps what is written to it, and the bucket of such writes. */
const BUCKETS = {
  '5m': 'cache_write_5m',
  '30m': 'cache_write_30m',
  '1h': 'cache_write_1h',
  '12h': 'cache_write_12h',
} as const satisfies Record<string, CacheWriteBucket>;

type Lifetime = keyof typeof BUCKETS;

/** The lifetimes that a field takes: its default, and one that needs a price of its own. */
interface Lifetimes {
  readonly usual: Lifetime;
  readonly long: Lifetime;
}

/** OpenAI's fields. */
const BREAKPOINT: Lifetimes = { usual: '30m', long: '12h' };
/** The field that clients of other providers' models send. */
const CONTROL: Lifetimes = { usual: '5m', long: '1h' };

/**
 * Finds how long a request wants its prompt cached. Usage of chat completions has one count of cache writes, so writes can be
 * billed at their lifetime only if all have the same.
 */
export function checkCachePolicy({ request }: ParsedRequest, findings: PolicyFindings): void {
  const asked = new AskedLifetimes(findings);
  const options = recordOr(request.prompt_cache_options);
  const usual = asked.read(options['ttl'], BREAKPOINT, () => 'prompt_cache_options.ttl');
  let hasBreakpoints = false;
  const breakpoint = (part: JsonRecord, prefix: () => string) => {
    const given = part['prompt_cache_breakpoint'];
    if (!isRecord(given)) return;
    hasBreakpoints = true;
    const path = () => `${prefix()}prompt_cache_breakpoint.ttl`;
    asked.add(isSet(given['ttl']) ? asked.read(given['ttl'], BREAKPOINT, path) : usual, path);
  };
  const control = (piece: JsonRecord, prefix: () => string) => {
    const given = piece['cache_control'];
    if (!isRecord(given)) return;
    const path = () => `${prefix()}cache_control.ttl`;
    asked.add(asked.read(given['ttl'], CONTROL, path), path);
  };
  control(request, () => '');
  request.tools?.forEach((tool, i) => {
    control(tool, () => `tools[${i}].`);
    if (tool.function !== undefined) control(tool.function, () => `tools[${i}].function.`);
  });
  for (let i = 0; i < request.messages.length; i++) {
    const message = request.messages[i];
    if (message === undefined) continue;
    control(message, () => `messages[${i}].`);
    const { content } = message;
    if (!Array.isArray(content)) continue;
    for (let j = 0; j < content.length; j++) {
      const part = recordOr(content[j]);
      const prefix = () => `messages[${i}].content[${j}].`;
      breakpoint(part, prefix);
      control(part, prefix);
    }
  }
  // OpenAI also sets a breakpoint of its own, unless the mode is explicit.
  const isCached = isSet(request.prompt_cache_options) || hasBreakpoints;
  if (isCached && options['mode'] !== 'explicit') asked.add(usual, () => 'prompt_cache_options.ttl');
  asked.report();
}

class AskedLifetimes {
  readonly #findings: PolicyFindings;
  /** The first field that asks for each. */
  readonly #paths = new Map<Lifetime, string>();

  constructor(findings: PolicyFindings) {
    this.#findings = findings;
  }

  /** The lifetime that a field names; the usual one if it is absent or refused. */
  read(ttl: unknown, { usual, long }: Lifetimes, path: () => string): Lifetime {
    if (ttl === long) return long;
    if (isSet(ttl) && ttl !== usual) {
      this.#findings.errors.push(diagnostic(path(), `only "${usual}" and "${long}" are supported; remove it`));
    }
    return usual;
  }

  add(lifetime: Lifetime, path: () => string): void {
    if (!this.#paths.has(lifetime)) this.#paths.set(lifetime, path());
  }

  report(): void {
    const [first, ...others] = this.#paths.keys();
    for (const { long } of [BREAKPOINT, CONTROL]) {
      const path = this.#paths.get(long);
      if (path === undefined) continue;
      this.#findings.cacheWrites.push({ bucket: BUCKETS[long], path });
      if (others.length > 0) this.#findings.mixedLifetimes ??= diagnostic(path, MIXED);
    }
    if (first !== undefined && others.length === 0) this.#findings.cacheLifetime = BUCKETS[first];
  }
}

const MIXED =
  "this model's provider reports one count of cache writes, so they must have one lifetime; give all the same ttl, and set " +
  'prompt_cache_options.mode to "explicit" where only breakpoints have one';
