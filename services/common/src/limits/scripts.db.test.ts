import { redisUrl } from '@tollgate/test-support/stores/redis-url';
import { Redis } from 'ioredis';
import { afterAll } from 'vitest';
import { describeLimitScripts } from '../../testing/limit-scripts.ts';

const redis = new Redis(redisUrl());
afterAll(() => redis.disconnect());

describeLimitScripts('Redis', () => redis);
