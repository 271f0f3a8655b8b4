export { type Certificate, makeCertificate } from './certificate.ts';
export { type DatabaseClock, shiftableClock } from './database-clock.ts';
export { type FreshDatabase, freshDatabase, migratedDatabase } from './fresh-database.ts';
export { type OwnPostgres, startPostgres } from './own-postgres.ts';
export { type OwnRedis, startRedis } from './own-redis.ts';
export { type RedisCluster, startRedisCluster } from './redis-cluster.ts';
export { type RedisServerProcess, startRedisServerWith } from './redis-server.ts';
export { redisUrl } from './redis-url.ts';
export { makeTemporaryFolder, type TemporaryFolder } from './temporary-folder.ts';
