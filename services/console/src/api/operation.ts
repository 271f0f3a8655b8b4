import type { RoleName } from '@tollgate/common/actors/roles';
import { z } from 'zod';

/**
 * Who may call an operation: `anyone` without signing in, a `person` who is signed in (on their own behalf), or actors of
 * these roles.
 */
export type Access = 'anyone' | 'person' | readonly RoleName[];

/** One operation of the console's API: the source of its route, its checks, its types and its part of the OpenAPI document. */
export interface Operation {
  /** Unique. `operationId` of OpenAPI; that of the web app's API begins with `web`. */
  id: string;
  summary: string;
  access: Access;
  /** Also offered to programs with a management key, under /management/v1. */
  programs: boolean;
  path: z.ZodObject;
  query: z.ZodObject;
  /** Null: no body. */
  body: z.ZodType | null;
  maxBodyBytes: number;
  /** Of the JSON body of a 200. Null: an empty 204. */
  response: z.ZodType | StreamedResponse | null;
}

/** A response that its handler sends in pieces. */
export class StreamedResponse {
  /** By content type, what one line or event of it is. Null: text without a schema. */
  readonly items: Readonly<Record<string, z.ZodType | null>>;

  constructor(items: Readonly<Record<string, z.ZodType | null>>) {
    this.items = items;
  }
}

type Given = Pick<Operation, 'id' | 'summary' | 'access' | 'response'> & Partial<Operation>;

/** What `operation` leaves out. */
const DEFAULTS = {
  programs: false,
  path: z.strictObject({}),
  query: z.strictObject({}),
  body: null,
  maxBodyBytes: 100_000,
};

/** Completes an operation; parts that are left out are empty. */
export function operation<const G extends Given>(given: G): Omit<typeof DEFAULTS, keyof G> & G {
  return { ...DEFAULTS, ...given };
}
