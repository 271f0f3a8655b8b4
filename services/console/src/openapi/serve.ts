import { gzipSync } from 'node:zlib';
import type { RequestHandler } from 'express';
import { etagOf, type WebFile } from '../web-app/files.ts';
import { sendFile } from '../web-app/serve.ts';
import { createOpenApiDocument } from './document.ts';

/** Where the document is. */
export const OPENAPI_PATH = '/openapi.json';

/** Serves the OpenAPI document, to everybody. It is made once. */
export function createServeOpenApi(consoleUrl: string): RequestHandler {
  const body = Buffer.from(JSON.stringify(createOpenApiDocument(consoleUrl)));
  const file: WebFile = {
    type: 'application/json; charset=utf-8',
    body,
    encoded: { gzip: gzipSync(body) },
    etag: etagOf(body),
    isImmutable: false,
  };
  return (req, res) => {
    res.locals['route'] = OPENAPI_PATH;
    sendFile(req, res, file);
  };
}
