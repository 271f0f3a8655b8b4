import { Engine } from '@tollgate/local/redis-stand-in/engine';
import { describeLimitScripts, type ScriptEngine } from '../../testing/limit-scripts.ts';

/** The stand-in of a single machine, which has its own Lua machine, by the commands that the tests use. */
function openStandIn(): ScriptEngine {
  const engine = new Engine();
  const run = (name: string, ...args: (string | number)[]) =>
    engine.run(
      name,
      args.map((arg) => Buffer.from(String(arg))),
    );
  return {
    eval: async (script, numberOfKeys, ...args) => {
      const reply = await run('eval', script, numberOfKeys, ...args);
      if (reply instanceof Error) throw reply;
      return reply;
    },
    set: (name, value) => run('set', name, value),
    get: async (name) => {
      const value = await run('get', name);
      return typeof value === 'string' ? value : null;
    },
    pttl: async (name) => Number(await run('pttl', name)),
    time: () => run('time'),
  };
}

// A flood of ten times as much would take this engine half a minute.
describeLimitScripts('the stand-in', openStandIn, 2, 10);
