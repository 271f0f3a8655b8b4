import { redisUrl } from '@tollgate/test/support';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { describeScripts } from './script-behaviour.ts';

const redis = new Redis(redisUrl());
afterAll(() => redis.disconnect());

describeScripts('Redis', () => redis);
