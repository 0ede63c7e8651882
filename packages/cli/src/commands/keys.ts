import { scopes, type Scope } from '@clientele/contract';
import { insertKey, listKeys, makeAccessKey, revokeKey } from '@clientele/server';
import { Command, Option } from 'commander';
import { withDatabase } from '../database.ts';
import { CommandError } from '../explain.ts';

export function keysCommand(): Command {
  const create = new Command('create')
    .description('make a key and print it, once; only its hash is kept')
    .requiredOption('--name <name>', 'who or what it is for')
    .addOption(
      new Option('--scope <scope...>', 'what it may do').choices(scopes).default([...scopes]),
    )
    .action(async ({ name, scope }: { name: string; scope: Scope[] }) => {
      if (name.trim() === '' || name.length > 100) {
        throw new CommandError('--name must have 1 to 100 characters');
      }
      const key = makeAccessKey();
      await withDatabase((client) => insertKey(client, key, name, [...new Set(scope)]));
      process.stdout.write(`${key.key}\n`);
      process.stderr.write(`key ${key.id} made; it is not shown again\n`);
    });

  const list = new Command('list')
    .description('list the keys, without their secrets')
    .action(async () => {
      const keys = await withDatabase(listKeys);
      for (const { id, name, scopes: may, created_at, revoked_at } of keys) {
        const state = revoked_at ? `revoked ${revoked_at.toISOString()}` : 'active';
        process.stdout.write(
          `${[id, created_at.toISOString(), state, may.join(','), name].join('\t')}\n`,
        );
      }
      if (keys.length === 0)
        process.stderr.write('no keys yet: clientele keys create --name NAME\n');
    });

  const revoke = new Command('revoke')
    .description('revoke a key by its id; running servers notice within 15 seconds')
    .argument('<id>', 'the part between ck_ and the next _')
    .action(async (id: string) => {
      if (!(await withDatabase((client) => revokeKey(client, id)))) {
        throw new CommandError('no key has this id: see clientele keys list');
      }
      process.stderr.write(`key ${id} revoked\n`);
    });

  return new Command('keys')
    .description('make, list and revoke access keys')
    .addCommand(create)
    .addCommand(list)
    .addCommand(revoke);
}
