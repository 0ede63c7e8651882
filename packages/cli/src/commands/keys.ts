import { scopes, type Scope } from '@clientele/contract';
import { insertKey, listKeys, makeAccessKey, revokeKey } from '@clientele/server';
import { Command, Option } from 'commander';
import { withDatabase } from '../database.ts';
import { CommandError } from '../explain.ts';

export function keysCommand(): Command {
  const create = new Command('create')
    .description('create a key and print it; only its hash is stored, so it cannot be shown again')
    .requiredOption('--name <name>', 'who or what uses the key')
    .addOption(
      new Option('--scope <scope...>', 'what the key allows').choices(scopes).default([...scopes]),
    )
    .action(async ({ name, scope }: { name: string; scope: Scope[] }) => {
      if (name.trim() === '' || name.length > 100) {
        throw new CommandError('--name must have 1 to 100 characters.');
      }
      const key = makeAccessKey();
      await withDatabase((client) => insertKey(client, key, name, [...new Set(scope)]));
      process.stdout.write(`${key.key}\n`);
      process.stderr.write(`Created key ${key.id}. Store it now: it cannot be shown again.\n`);
    });

  const list = new Command('list')
    .description('list the keys, without their secrets')
    .action(async () => {
      const keys = await withDatabase(listKeys);
      for (const { id, name, scopes: allowed, created_at, revoked_at } of keys) {
        const state = revoked_at ? `revoked ${revoked_at.toISOString()}` : 'active';
        process.stdout.write(
          `${[id, created_at.toISOString(), state, allowed.join(','), name].join('\t')}\n`,
        );
      }
      if (keys.length === 0)
        process.stderr.write(
          'There are no keys yet. Create one with: clientele keys create --name NAME\n',
        );
    });

  const revoke = new Command('revoke')
    .description('revoke a key; running servers reject it within 15 seconds')
    .argument('<id>', 'the part of the key between ck_ and the next _')
    .action(async (id: string) => {
      if (!(await withDatabase((client) => revokeKey(client, id)))) {
        throw new CommandError('No key has this id. List the keys with: clientele keys list');
      }
      process.stderr.write(`Revoked key ${id}. Running servers reject it within 15 seconds.\n`);
    });

  return new Command('keys')
    .description('create, list and revoke access keys')
    .addCommand(create)
    .addCommand(list)
    .addCommand(revoke);
}
