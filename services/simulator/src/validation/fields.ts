import { z } from 'zod';

/** Fields whose name begins so are taken anywhere, so that it can be tested what becomes of unknown ones. */
const FREE_PREFIX = 'x_';

/** An object of exactly these fields: others are refused, as real providers do, but for those that begin with `x_`. */
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

/** The object that a body is; undefined when it is not one. */
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
