import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CHECKOUT } from '@tollgate/local';
import type { Gateway } from '@tollgate/test-support/gateway/gateway';
import type { WireResponse } from '@tollgate/test-support/gateway/http';
import { textAt } from '@tollgate/test-support/gateway/json';
import { describe, expect, it } from 'vitest';
import { withGateway } from './support/shared-gateway.ts';

/** A call as `docs/reference/endpoints.md` has it, without the version. */
interface Row {
  /** Undefined where it stands for all methods and all calls below. */
  readonly method: string | undefined;
  readonly path: string;
  /** Undefined if it is served. */
  readonly reason: string | undefined;
}

interface Call {
  readonly method: string;
  readonly path: string;
}

const ROWS = rowsOf(readFileSync(join(CHECKOUT, 'docs/reference/endpoints.md'), 'utf8'));

let gateway: Gateway;
let key: string;

withGateway.beforeAll(async ({ gateway: shared }) => {
  gateway = shared;
  ({ key } = await gateway.accounts.create(0n));
});

describe('the endpoints of the documentation', () => {
  it.each(ROWS)('$method $path: $reason', async (row) => {
    const path = row.path.startsWith(':') ? `/models/some${row.path}` : row.path.replace(/\{\w+\}/g, 'some');
    const call = { method: row.method ?? 'POST', path: versioned(path) };
    expect(faultOf(row, await send(call, { authorization: `Bearer ${key}` }))).toBe('');
  });

  it.each(ROWS.filter(({ method, reason }) => method === undefined && reason !== undefined))(
    "$path: Google's header alone gets the reason too",
    async ({ path, reason }) => {
      const at = versioned(path.startsWith(':') ? `/models/some${path}` : path.replace(/\{\w+\}/g, 'some'));
      const response = await send({ method: 'POST', path: at }, { 'x-goog-api-key': key });
      expect(textAt(response.json, 'error', 'type')).toBe('missing_auth_credential');
      expect(textAt(response.json, 'error', 'message')).toMatch(/x-goog-api-key/);
      expect(textAt(response.json, 'error', 'message')).toContain(reason);
    },
  );

  it.each(['/v1/models', '/models', '/v1/models/some'])(
    "%s: Google's header alone gets the setting to list models",
    async (path) => {
      const response = await send({ method: 'GET', path }, { 'x-goog-api-key': key });
      expect(response.status).toBe(401);
      expect(textAt(response.json, 'error', 'message')).toContain("apiVersion: 'v1beta'");
    },
  );

  it('are those of the official SDKs, with what a gateway does', async () => {
    const calls = [...callsOf('openai'), ...callsOf('@anthropic-ai/sdk'), ...googleCalls()];
    expect(calls.length).toBeGreaterThan(600);
    const faults: string[] = [];
    for (const call of calls) {
      const row = ROWS.find((one) => covers(one, call));
      const fault =
        row === undefined
          ? 'is not in the tables'
          : faultOf(row, await send({ ...call, path: versioned(call.path) }, { authorization: `Bearer ${key}` }));
      if (fault !== '') faults.push(`${call.method} ${call.path} ${fault}`);
    }
    expect(faults).toEqual([]);
  });
});

function send({ method, path }: Call, headers: Record<string, string>): Promise<WireResponse> {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
  return gateway.send({ method, path, headers: { 'content-type': 'application/json', ...headers }, ...body });
}

/** What contradicts a row; empty if nothing does. */
function faultOf({ reason }: Row, { status, json }: WireResponse): string {
  const isRefused = status === 404 || status === 405;
  if (reason === undefined) return isRefused ? `gets a ${status}` : '';
  if (!isRefused) return `gets a ${status}`;
  const message = textAt(json, 'error', 'message');
  return message.endsWith(reason) ? '' : `gets "${message}"`;
}

/** Google's paths with a version of their own have it in the table. */
function versioned(path: string): string {
  return /^\/(upload|ws)\//.test(path) ? path : `/v1${path}`;
}

function covers(row: Row, { method, path }: Call): boolean {
  if (row.path.startsWith(':')) return path.endsWith(row.path);
  const pattern = row.path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/:]+');
  if (row.method !== undefined) return row.method === method && new RegExp(`^${pattern}$`).test(path);
  return new RegExp(`^${pattern}(?=[/:]|$)`).test(path);
}

/** Calls in the first column; those with a method come first. */
function rowsOf(page: string): Row[] {
  const [served = '', refused = ''] = page.split('\n## Refused\n');
  const rows = [...tableOf(served, false), ...tableOf(refused, true)];
  return [...rows.filter(({ method }) => method !== undefined), ...rows.filter(({ method }) => method === undefined)];
}

function tableOf(part: string, isRefused: boolean): Row[] {
  return [...part.matchAll(/^\| (`.*?) \| (.*?) \|$/gm)].flatMap(([, calls = '', reason]) =>
    [...calls.matchAll(/`(?:([A-Z]+) )?([^`]+)`/g)].map(([, method, path = '']) => ({
      method,
      path,
      reason: isRefused ? reason : undefined,
    })),
  );
}

const packageFolder = (name: string) => {
  const entry = createRequire(import.meta.url).resolve(name);
  return join(entry.slice(0, entry.lastIndexOf(join('node_modules', name))), 'node_modules', name);
};

const CALL =
  /_client\s*\.(get|post|put|patch|delete|getAPIList)\(\s*(?:\(0, path_1\.path\)\s*)?(`[^`]*`|'[^']*'|"[^"]*")/g;

/** All calls in the resources of an SDK of OpenAI or Anthropic. */
function callsOf(name: string): Call[] {
  const folder = join(packageFolder(name), 'resources');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
  const calls = new Map<string, Call>();
  for (const file of files) {
    for (const [, method = '', quoted = ''] of readFileSync(join(folder, file), 'utf8').matchAll(CALL)) {
      const path = quoted
        .slice(1, -1)
        .replace(/\$\{[^}]*\}/g, 'some')
        .replace(/\?.*$/, '')
        .replace(/^\/v1\//, '/');
      const call = { method: method === 'getAPIList' ? 'GET' : method.toUpperCase(), path };
      calls.set(`${call.method} ${path}`, call);
    }
  }
  return [...calls.values()];
}

/** What the names in Google's templates stand for. Templates that begin with another name have no path of their own. */
const GOOGLE_NAMES: Readonly<Record<string, string>> = {
  model: 'models/some',
  models_url: 'models',
  api_version: 'v1beta',
  file_search_store_name: 'fileSearchStores/some',
  parent: 'fileSearchStores/some',
};

/** All calls of Google's SDK; it has templates of paths without their methods. */
function googleCalls(): Call[] {
  const bundle = readFileSync(
    join(dirname(createRequire(import.meta.url).resolve('@google/genai')), 'index.mjs'),
    'utf8',
  );
  const templates = [
    ...bundle.matchAll(/(?:formatMap\('|pathToFunc\("\/\{api_version\}\/|pathToFunc\("\/(?=upload))([^'"]+)/g),
  ]
    .map(([, template = '']) => template.replace(/\?.*$/, ''))
    .filter((template) => !/^\{(?:name|operationName|resourceName)\}/.test(template));
  return [...new Set(templates)].map((template) => {
    const path = `/${template.replace(/\{(\w+)\}/g, (_, name: string) => GOOGLE_NAMES[name] ?? 'some')}`;
    return { method: /:\w+$/.test(path) ? 'POST' : 'GET', path };
  });
}
