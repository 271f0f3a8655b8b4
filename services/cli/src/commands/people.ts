import type { ConsoleClient } from '../api/client.ts';
import { CommandFailure } from '../terminal/failure.ts';
import type { Ids } from './operation-command.ts';

/** The id of a member of an account, by their e-mail address. */
export async function memberId(client: ConsoleClient, text: string, ids: Ids): Promise<string> {
  if (!text.includes('@')) return text;
  const path = { account_id: ids['account_id'] ?? '' };
  const { data } = await client.call('GET /accounts/{account_id}/members', { path });
  return idOf(data, text, 'a member of the account');
}

/** The id of an operator, by their e-mail address. */
export async function operatorId(client: ConsoleClient, text: string): Promise<string> {
  if (!text.includes('@')) return text;
  const { data } = await client.call('GET /operator/operators');
  return idOf(data, text, 'an operator');
}

function idOf(people: readonly { person_id: string; email: string }[], email: string, what: string): string {
  const found = people.find((person) => person.email === email.toLowerCase());
  if (found === undefined) throw new CommandFailure(`${email} is not ${what}`);
  return found.person_id;
}
