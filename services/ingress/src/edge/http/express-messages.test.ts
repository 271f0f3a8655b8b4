import { createServer } from 'node:http';
import { listen } from '@tollgate/common/http-server';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { expressMessages } from './express-messages.ts';

it('creates requests and responses with the prototypes that Express gives them', async () => {
  const app = express();
  app.get('/path', (req, res) =>
    res.json({ path: req.path, query: req.query, apps: [req.app === app, res.app === app] }),
  );
  const created: boolean[] = [];
  const server = createServer(expressMessages(app), (req, res) => {
    const note = () =>
      created.push(Object.getPrototypeOf(req) === app.request, Object.getPrototypeOf(res) === app.response);
    note();
    app(req, res);
    note();
  });
  onTestFinished(() => void server.close());
  const port = await listen(server, '127.0.0.1', 0);
  const response = await fetch(`http://127.0.0.1:${port}/path?key=value`, { headers: { connection: 'close' } });
  expect(await response.json()).toEqual({ path: '/path', query: { key: 'value' }, apps: [true, true] });
  expect(created).toEqual([true, true, true, true]);
});
