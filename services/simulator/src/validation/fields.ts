import { z } from 'zod';

/** Prefix of fields that are accepted anywhere, to test the forwarding of unknown ones. */
const FREE_PREFIX = 'x_';

/** An object with exactly these fields: like real providers, rejects others, unless they start with `x_`. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject(shape).check((payload) => {
    for (const key of Object.keys(payload.value)) {
      if (Object.hasOwn(shape, key) || key.startsWith(FREE_PREFIX)) continue;
      payload.issues.push({ code: 'unrecognized_keys', keys: [key], input: payload.value });
    }
  });
}

/** Any JSON object. */
export const anyObject = z.record(z.string(), z.unknown());

/** The JSON object in a body; undefined if it has none. */
export function parseObject(body: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(body);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
