import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from '../http/api-error.ts';
import type { Encoding, WebFile } from './files.ts';

const YEAR_S = 31_536_000;

/**
 * Serves the web app. Every address that a browser opens is a page of the app; assets that do not exist are not found.
 *
 * @param files undefined: the web app is not built
 */
export function createServeWebApp(files: ReadonlyMap<string, WebFile> | undefined): RequestHandler {
  return (req, res, next) => {
    if (req.method !== 'GET' && req.method !== 'HEAD') return next();
    if (files === undefined) {
      throw new ApiError('unavailable', 'The web app is not built: run "make services/console/web/dist/index.html".');
    }
    const found = files.get(req.path) ?? (isPage(req) ? files.get('/index.html') : undefined);
    if (found === undefined) {
      // While versions change, one process may not have the files of the other: nothing on the way may remember that.
      res.setHeader('cache-control', 'no-store');
      return next();
    }
    res.locals['route'] = found.isImmutable ? '/assets/*' : '/*';
    sendFile(req, res, found);
  };
}

/** What a browser opens, and the front page for all others, such as checks of uptime. Ids of models in addresses may look like names of files. */
function isPage(req: Request): boolean {
  if (req.path === '/') return true;
  const isNavigation = req.accepts(['html', 'json']) === 'html' && (req.get('accept') ?? '').includes('text/html');
  return isNavigation && !/^\/(api|management|oidc|health|assets)(\/|$)/.test(req.path);
}

/**
 * Sends a file, compressed where the client accepts it, or 304 if the client has it. Names without a hash are asked for again
 * on each visit: `index.html`, `theme.js`, `icon.svg`.
 */
export function sendFile(req: Request, res: Response, file: WebFile): void {
  res.setHeader('cache-control', file.isImmutable ? `public, max-age=${YEAR_S}, immutable` : 'no-cache');
  res.setHeader('etag', file.etag);
  res.setHeader('vary', 'accept-encoding');
  if (req.fresh) {
    res.status(304).end();
    return;
  }
  const encoding = encodingOf(req, file);
  const body = (encoding === undefined ? undefined : file.encoded[encoding]) ?? file.body;
  if (encoding !== undefined) res.setHeader('content-encoding', encoding);
  res.setHeader('content-type', file.type);
  res.setHeader('content-length', body.length);
  res.end(req.method === 'HEAD' ? undefined : body);
}

function encodingOf(req: Request, file: WebFile): Encoding | undefined {
  const accepted = req.acceptsEncodings();
  return (['br', 'gzip'] as const).find((each) => accepted.includes(each) && file.encoded[each] !== undefined);
}
