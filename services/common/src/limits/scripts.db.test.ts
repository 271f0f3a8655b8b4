import { redisUrl } from '@tollgate/test/support';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { describeLimitScripts } from './script-behaviour.ts';

const redis = new Redis(redisUrl());
afterAll(() => redis.disconnect());

describeLimitScripts('Redis', () => redis);
