import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeTemporaryFolder } from '@tollgate/test-support/temporary-folder';
import express from 'express';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readWebApp } from './files.ts';
import { createServeWebApp } from './serve.ts';

const BROWSER = { accept: 'text/html,*/*' };
const folder = makeTemporaryFolder();
let server: Server;

/** The files of a version of the web app. */
function build(version: string): void {
  mkdirSync(join(folder.path, 'assets'), { recursive: true });
  for (const name of ['index.html', 'theme.js', 'icon.svg', `assets/main-${version}.js`]) {
    writeFileSync(join(folder.path, name), `${name} ${version}`);
  }
}

/** Serves what is built, as a process that has just started. */
async function start(): Promise<void> {
  server = createServer(express().use(createServeWebApp(readWebApp(folder.path))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

async function get(path: string, headers: Record<string, string> = BROWSER): Promise<Response> {
  return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, { headers });
}

beforeAll(async () => {
  build('v1');
  await start();
});

afterAll(() => {
  server.close();
  folder.remove();
});

test('files with a hash in their name are kept, all others are asked for again', async () => {
  expect((await get('/assets/main-v1.js')).headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  for (const path of ['/', '/index.html', '/theme.js', '/icon.svg', '/accounts/1/keys']) {
    expect((await get(path)).headers.get('cache-control'), path).toBe('no-cache');
  }
});

test('the front page is there for clients that accept anything, and for HEAD', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(url, { method, headers: { accept: '*/*' } });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(method === 'GET' ? 'index.html v1' : '');
  }
});

test('a file that a browser has is not sent again', async () => {
  const etag = (await get('/theme.js')).headers.get('etag') ?? '';
  for (const known of [etag, `"other", ${etag}`]) {
    const headers = { ...BROWSER, 'if-none-match': known, 'cache-control': 'max-age=0' };
    expect((await get('/theme.js', headers)).status).toBe(304);
  }
});

test('after an upgrade a browser gets the new files, and nothing remembers that an old one is gone', async () => {
  const known: Record<string, string> = {};
  for (const path of ['/', '/theme.js', '/icon.svg']) known[path] = (await get(path)).headers.get('etag') ?? '';
  server.close();
  build('v2');
  await start();
  for (const [path, etag] of Object.entries(known)) {
    const headers = { ...BROWSER, 'if-none-match': etag, 'cache-control': 'max-age=0' };
    const response = await get(path, headers);
    expect(response.status, path).toBe(200);
    expect(await response.text(), path).toContain('v2');
  }
  const gone = await get('/assets/main-v0.js', { accept: '*/*' });
  expect(gone.status).toBe(404);
  expect(gone.headers.get('cache-control')).toBe('no-store');
});
