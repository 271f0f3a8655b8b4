import { createServer } from 'node:http';
import { listen } from '@tollgate/common/http-server';
import express from 'express';
import { expect, it, onTestFinished } from 'vitest';
import { expressMessages, useExpressMessages } from './express-messages.ts';

/** Serves an application; a call returns what its request sees of it. */
async function serve(name: string) {
  const app = express();
  app.set('name', name);
  app.get('/path', (req, res) =>
    res.json({ path: req.path, query: req.query, names: [req.app.get('name'), res.app.get('name')] }),
  );
  const prototypes: object[] = [];
  const note = (...messages: object[]) => prototypes.push(...messages.map(Object.getPrototypeOf));
  const server = createServer(expressMessages, (req, res) => {
    note(req, res);
    app(req, res);
    note(req, res);
  });
  useExpressMessages(app, server);
  onTestFinished(() => void server.close());
  const port = await listen(server, '127.0.0.1', 0);
  return async () => {
    const response = await fetch(`http://127.0.0.1:${port}/path?key=value`, { headers: { connection: 'close' } });
    return { body: await response.json(), prototypes };
  };
}

it('creates requests and responses with the prototypes that Express gives them, which all applications share', async () => {
  const [callOne, callOther] = [await serve('one'), await serve('other')];
  const { prototypes } = await callOne();
  prototypes.push(...(await callOther()).prototypes);
  const [request, response] = prototypes;
  expect(prototypes).toHaveLength(8);
  expect(prototypes.every((prototype, index) => prototype === (index % 2 === 0 ? request : response))).toBe(true);
});

it('has the settings of the application that serves the request', async () => {
  const [callOne, callOther] = [await serve('one'), await serve('other')];
  const query = { key: 'value' };
  expect((await callOne()).body).toEqual({ path: '/path', query, names: ['one', 'one'] });
  expect((await callOther()).body).toEqual({ path: '/path', query, names: ['other', 'other'] });
});
