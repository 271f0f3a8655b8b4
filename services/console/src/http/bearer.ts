import type { IncomingMessage } from 'node:http';

const BEARER = /^Bearer +(\S+)$/i;

/** The bearer token of a request; undefined without one. */
export function readBearer({ headers: { authorization = '' } }: IncomingMessage): string | undefined {
  return BEARER.exec(authorization)?.[1];
}
