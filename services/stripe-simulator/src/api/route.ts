import type { z } from 'zod';
import type { World } from '../state/world.ts';
import type { Form } from './form.ts';
import { readParams } from './params.ts';

/** What a call knows beside its parameters. */
export interface CallContext {
  world: World;
  /** The variable parts of the path. */
  ids: readonly string[];
}

/** A call whose parameters are right, ready to take effect. */
export interface Prepared {
  expand: readonly string[];
  run: () => object;
}

/** One endpoint of the API. */
export interface Route {
  method: 'GET' | 'POST';
  path: RegExp;
  /** Checks the parameters; throws StripeFailure. */
  prepare: (form: Form, context: CallContext) => Prepared;
}

/** @param path with `:id` for a variable part */
export function route<T extends { expand?: string[] | undefined }>(
  method: Route['method'],
  path: string,
  schema: z.ZodType<T>,
  run: (params: T, context: CallContext) => object,
): Route {
  return {
    method,
    path: new RegExp(`^${path.replaceAll(':id', '([^/]+)')}$`),
    prepare: (form, context) => {
      const params = readParams(schema, form);
      return { expand: params.expand ?? [], run: () => run(params, context) };
    },
  };
}

/** The id in the path. */
export function idIn({ ids }: CallContext): string {
  return ids[0] ?? '';
}
