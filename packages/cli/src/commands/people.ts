import {
  type AccessAction,
  changeAccess,
  disablePerson,
  enablePerson,
  listPeople,
  readAuditSettings,
} from '@clientele/directory';
import { Command } from 'commander';
import type pg from 'pg';
import { withDatabase } from '../database.ts';
import { CommandError } from '../explain.ts';
import { visible } from '../visible.ts';

const unknown = 'Nobody has this id. List the people with: clientele people list';

async function change(
  action: AccessAction,
  id: string,
  work: (client: pg.Client, id: string) => Promise<boolean>,
): Promise<void> {
  const audited = readAuditSettings(process.env) !== undefined;
  const isDone = await withDatabase((client) =>
    changeAccess(client, { action, target: id, audited }, () => work(client, id)),
  );
  if (!isDone) throw new CommandError(unknown);
}

export function peopleCommand(): Command {
  const list = new Command('list')
    .description('list the people who have signed in with the provider')
    .action(async () => {
      const people = await withDatabase(listPeople);
      for (const { id, last_sign_in_at, disabled_at, roles, name, account } of people) {
        const state = disabled_at ? `disabled ${disabled_at.toISOString()}` : 'active';
        const columns = [
          id,
          last_sign_in_at.toISOString(),
          state,
          roles.join(','),
          name,
          account ?? '-',
        ];
        process.stdout.write(`${columns.map(visible).join('\t')}\n`);
      }
      if (people.length === 0) process.stderr.write('Nobody has signed in with a provider yet.\n');
    });

  const disable = new Command('disable')
    .description('sign a person out everywhere, and refuse to let them sign in')
    .argument('<id>', 'the first column of people list')
    .action(async (id: string) => {
      await change('disable-person', id, disablePerson);
      process.stderr.write(`Disabled ${id}. Running servers refuse them within 15 seconds.\n`);
    });

  const enable = new Command('enable')
    .description('let a disabled person sign in again')
    .argument('<id>', 'the first column of people list')
    .action(async (id: string) => {
      await change('enable-person', id, enablePerson);
      process.stderr.write(`Enabled ${id}. They can sign in again.\n`);
    });

  return new Command('people')
    .description('list, disable and enable people who sign in with OpenID Connect')
    .addCommand(list)
    .addCommand(disable)
    .addCommand(enable);
}
