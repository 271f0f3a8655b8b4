import { createRequire } from 'node:module';
import { describeScripts, type ScriptEngine } from './script-behaviour.ts';

// The engine of the single-machine stand-in, which has its own Lua machine, as the local runner installs it.
const local = createRequire(new URL('../../../../deploy/local/package.json', import.meta.url));
const RedisMock: new () => ScriptEngine = local('ioredis-mock');

describeScripts('the stand-in', () => new RedisMock());
