import {
  createSecretFile,
  type PublicKey,
  readSecretFile,
  rotateSecretFile,
} from '@clientele/directory';
import { Command } from 'commander';
import { CommandError } from '../explain.ts';

function secretPath(file: string | undefined): string {
  const path = file ?? process.env['CLIENTELE_SECRET_FILE'];
  if (!path) throw new CommandError('Give the path of the file, or set CLIENTELE_SECRET_FILE.');
  return path;
}

const writeErrors: Record<string, string> = {
  EEXIST:
    'it exists. With another secret, erased people are no longer recognised, and earlier searches cannot be found.',
  ENOENT: 'its folder does not exist.',
  EACCES: 'you do not have permission to write there.',
  EROFS: 'its file system is read-only.',
};

const inOneLine = ({ text, earlier }: PublicKey): string =>
  [text, ...earlier.map((each) => each.text)].join(',');

export function secretCommand(): Command {
  const create = new Command('create')
    .description('create the file, readable by you only, and print the public key')
    .argument('[file]', 'its path (default: CLIENTELE_SECRET_FILE)')
    .action(async (file: string | undefined) => {
      const path = secretPath(file);
      const { text } = await createSecretFile(path).catch((error: NodeJS.ErrnoException) => {
        const reason = writeErrors[error.code ?? ''];
        throw reason === undefined ? error : new CommandError(`Cannot create ${path}: ${reason}`);
      });
      process.stdout.write(`${text}\n`);
      process.stderr.write(
        `Created ${path}. Give it to every instance, and keep a copy. ` +
          'Keep the public key where the administrators of the database cannot change it.\n',
      );
    });

  const rotate = new Command('rotate')
    .description('replace the key that signs checkpoints of the audit, and print the public keys')
    .argument('[file]', 'the path of the secret file (default: CLIENTELE_SECRET_FILE)')
    .action(async (file: string | undefined) => {
      const path = secretPath(file);
      const key = await rotateSecretFile(path).catch((error: NodeJS.ErrnoException) => {
        const reason = writeErrors[error.code ?? ''];
        throw reason === undefined ? error : new CommandError(`Cannot write ${path}: ${reason}`);
      });
      process.stdout.write(`${inOneLine(key)}\n`);
      process.stderr.write(
        `Replaced the signing key in ${path}. Give the file to every instance, restart them, and keep a copy.\n`,
      );
    });

  const publicKey = new Command('public-key')
    .description(
      'print the public key, and after a comma those before it, which verify checkpoints of the audit',
    )
    .argument('[file]', 'the path of the secret file (default: CLIENTELE_SECRET_FILE)')
    .action(async (file: string | undefined) => {
      const { publicKey: key } = await readSecretFile(secretPath(file));
      process.stdout.write(`${inOneLine(key)}\n`);
    });

  return new Command('secret')
    .description(
      'create the file with the keys for the audit, for recognising erased people and for the ledger',
    )
    .addCommand(create)
    .addCommand(rotate)
    .addCommand(publicKey);
}
