export { type PostgresOptions, type PostgresServer, startPostgresServer } from './postgres/server.ts';
export type { Child } from './processes/child.ts';
export { findFreePort, findFreePorts, isPortFree } from './processes/ports.ts';
export { closedAncestor } from './processes/users.ts';
export { waitUntil } from './processes/wait.ts';
export { startWatchdog, type Watchdog } from './processes/watchdog.ts';
export { findRedisServer, type RedisServer, startRedisServer } from './redis/server.ts';
