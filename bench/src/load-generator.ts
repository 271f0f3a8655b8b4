import { messageOf } from '@tollgate/common/errors';
import { Connections } from './load/connection.ts';
import { HeldStreams } from './load/held-streams.ts';
import { closedLoop, openLoop } from './load/loops.ts';
import type { LoadCommand, LoadReply, LoadResult } from './load/messages.ts';

/** The clients, in a separate process: runs the commands of the parent process in order. */
const connections = new Connections();
const streams = new HeldStreams();

function run(command: LoadCommand): Promise<LoadResult> {
  switch (command.kind) {
    case 'closed':
      return closedLoop(connections, command);
    case 'open':
      return openLoop(connections, command);
    case 'hold':
      return streams.hold(command);
    case 'watch':
      return streams.watch(command);
    case 'leave':
      return streams.leave();
    default:
      return command satisfies never;
  }
}

const reply = (message: LoadReply) => process.send?.(message);

process.on('message', (command: LoadCommand) => {
  run(command).then(
    (result) => reply({ ok: true, result }),
    (error: unknown) => reply({ ok: false, message: messageOf(error) }),
  );
});
process.on('disconnect', () => process.exit(0));
