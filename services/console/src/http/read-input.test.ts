import { expect, it } from 'vitest';
import { z } from 'zod';
import { readInput } from './read-input.ts';

const schema = z.strictObject({
  role: z.enum(['owner', 'admin']).optional(),
  version: z.literal(2).optional(),
  reason: z.string().min(1).max(5).optional(),
  password: z.string().min(12, 'must have at least 12 characters').optional(),
  start: z.iso.datetime({ offset: true }).optional(),
  email: z.email().optional(),
  id: z.uuid().optional(),
  limit: z.number().min(1).max(100).optional(),
  items: z
    .array(z.object({ name: z.string() }))
    .min(1)
    .max(1)
    .optional(),
});

it.each([
  [{ role: 'boss' }, 'role: must be one of owner, admin'],
  [{ version: 3 }, 'version: must be 2'],
  [{ reason: '' }, 'reason: must not be empty'],
  [{ reason: 'too long' }, 'reason: must have at most 5 characters'],
  [{ password: 'short' }, 'password: must have at least 12 characters'],
  [{ start: 'foo' }, 'start: must be a time such as 2026-01-31T00:00:00Z'],
  [{ email: 'foo' }, 'email: must be an e-mail address'],
  [{ id: 'foo' }, 'id: must be a UUID'],
  [{ limit: null }, 'limit: expected number, received null'],
  [{ limit: 0 }, 'limit: must be at least 1'],
  [{ limit: 101 }, 'limit: must be at most 100'],
  [{ items: [] }, 'items: must not be empty'],
  [{ items: [{ name: 'a' }, { name: 'b' }] }, 'items: must have at most 1 item'],
  [{ items: [{}] }, 'items[0].name: required'],
  [{ limit: '1' }, 'limit: expected number, received string'],
  [{ other: 1 }, 'other: unknown'],
])('says what is wrong with %j', (given, message) => {
  const field = message.slice(0, message.indexOf(':'));
  expect(() => readInput(schema, given)).toThrow(expect.objectContaining({ code: 'invalid_request', message, field }));
});
