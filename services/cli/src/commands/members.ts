import { MEMBER_ROLES, type MemberRole, roleOf } from '@tollgate/common/actors/roles';
import type { ManagementKey, Member } from '@tollgate/proto/auth';
import { Argument, type Command } from 'commander';
import { keyFields, keyJson } from '../output/key.ts';
import { PERSON_COLUMNS, personFields, personJson, roleText } from '../output/person.ts';
import { formatTable, formatTime } from '../output/table.ts';
import { callAuth } from '../services/clients.ts';
import { uuid } from '../terminal/arguments.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { type Json, jsonTime, print } from '../terminal/print.ts';
import type { GlobalOptions } from './global-options.ts';
import { invite, type LinkOptions, withInvitation } from './invite.ts';

const role = () => new Argument('<role>', 'role in the account').choices(MEMBER_ROLES);

export function addMemberCommands(program: Command, io: Io): void {
  const members = program.command('members').description('list, invite, change and remove the members of an account');
  members
    .command('list')
    .description('list the members of an account')
    .argument('<account>', 'id of the account', uuid)
    .action(async (accountId: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const all = await listMembers(io, options, accountId);
      const columns = [{ title: 'ROLE' }, { title: 'JOINED' }, ...PERSON_COLUMNS];
      const text = formatTable(columns, all.map(memberFields), 'The account has no members yet.');
      print(io, options, { json: { members: all.map(memberJson) }, text });
    });
  withInvitation(members.command('invite'))
    .description('print a link with which somebody becomes a member of an account')
    .argument('<account>', 'id of the account', uuid)
    .argument('<email>', 'e-mail address')
    .addArgument(role())
    .action(async (accountId: string, email: string, name: MemberRole, _: unknown, command: Command) => {
      await invite(io, command.optsWithGlobals<LinkOptions>(), { accountId, email, role: name });
    });
  members
    .command('set-role')
    .description('change the role of a member')
    .argument('<account>', 'id of the account', uuid)
    .argument('<email>', 'e-mail address')
    .addArgument(role())
    .action(async (accountId: string, email: string, name: MemberRole, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const personId = await personIdOf(io, options, accountId, email);
      const request = { accountId, personId, role: roleOf(name) };
      const { member } = await callAuth({ io, options }, (client) => client.updateMember.bind(client), request);
      if (member === undefined) throw new Error('the auth service responded without a member');
      print(io, options, { json: memberJson(member), text: `${email.toLowerCase()} is ${roleText(member.role)}.\n` });
    });
  addRemove(members, io);
}

function addRemove(members: Command, io: Io): void {
  members
    .command('remove')
    .description('remove a member and list the active API keys and management keys they made, which stay valid')
    .argument('<account>', 'id of the account', uuid)
    .argument('<email>', 'e-mail address')
    .action(async (accountId: string, email: string, _: unknown, command: Command) => {
      const options = command.optsWithGlobals<GlobalOptions>();
      const personId = await personIdOf(io, options, accountId, email);
      const request = { accountId, personId };
      const removed = await callAuth({ io, options }, (client) => client.removeMember.bind(client), request);
      const { keys, managementKeys } = removed;
      const columns = (keys[0] === undefined ? [] : keyFields(keys[0])).map(([name]) => ({
        title: name.toUpperCase(),
      }));
      const rows = keys.map((key) => keyFields(key).map(([, value]) => value));
      const table = keys.length === 0 ? '' : `Keys they made stay valid:\n${formatTable(columns, rows, '')}`;
      print(io, options, {
        json: {
          email: email.toLowerCase(),
          keys: keys.map(keyJson),
          management_keys: managementKeys.map(managementKeyJson),
        },
        text: `${email.toLowerCase()} is removed.\n${table}${managementKeyTable(managementKeys)}`,
      });
    });
}

function managementKeyTable(keys: readonly ManagementKey[]): string {
  if (keys.length === 0) return '';
  const columns = [{ title: 'ID' }, { title: 'NAME' }, { title: 'ROLE' }, { title: 'EXPIRES' }];
  const rows = keys.map(({ managementKeyId, name, role: of, expiresAtMs }) => [
    managementKeyId,
    name,
    roleText(of),
    formatTime(expiresAtMs),
  ]);
  return `Management keys they made stay valid until somebody deletes them in the console:\n${formatTable(columns, rows, '')}`;
}

function managementKeyJson({ managementKeyId, name, role: of, lastFour, expiresAtMs }: ManagementKey): Json {
  return {
    management_key_id: managementKeyId,
    name,
    role: roleText(of),
    last_four: lastFour,
    expires_at: jsonTime(expiresAtMs),
  };
}

async function listMembers(io: Io, options: GlobalOptions, accountId: string): Promise<Member[]> {
  const { members } = await callAuth({ io, options }, (client) => client.listMembers.bind(client), { accountId });
  return members;
}

async function personIdOf(io: Io, options: GlobalOptions, accountId: string, email: string): Promise<string> {
  const members = await listMembers(io, options, accountId);
  const found = members.find(({ person }) => person?.email === email.toLowerCase())?.person;
  if (found === undefined) throw new CommandFailure(`${email} is not a member of the account`);
  return found.personId;
}

function memberFields({ person, role, joinedAtMs }: Member): string[] {
  return [roleText(role), formatTime(joinedAtMs), ...(person === undefined ? [] : personFields(person))];
}

function memberJson({ person, role, joinedAtMs }: Member): Json {
  return {
    role: roleText(role),
    joined_at: jsonTime(joinedAtMs),
    ...(person === undefined ? {} : personJson(person)),
  };
}
