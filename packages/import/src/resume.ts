/** Whether a run continues an interrupted one. */
import type pg from 'pg';
import { abandonCheckpoint, findCheckpoint, newCheckpoint, type Checkpoint } from './checkpoint.ts';
import type { Prefix } from './prefix.ts';

interface Options {
  fromStart?: boolean | undefined;
  prefix?: Prefix | undefined;
  kind: 'file' | 'feed';
  log: (line: string) => void;
}

/** The checkpoint of an interrupted run, or a new one. */
export async function resumeOrBegin(
  client: pg.Client,
  fingerprint: string,
  { fromStart, prefix, kind, log }: Options,
): Promise<Checkpoint> {
  const feed = kind === 'feed';
  const found = await findCheckpoint(client, fingerprint);
  if (found && !fromStart) {
    const { checkpoint, overtaken } = found;
    // Of records without a time, the last one counts. A feed gives each of them the time when it was read.
    const why =
      !feed && overtaken
        ? 'Other files were imported since this import was interrupted, so it starts from the beginning.'
        : prefix && !(await prefix.is(checkpoint))
          ? 'The file has changed where it was read before, so it is read from the start.'
          : undefined;
    if (why === undefined) return checkpoint;
    log(why);
  }
  if (found) await abandonCheckpoint(client, found.checkpoint.id);
  return newCheckpoint(client, fingerprint, feed);
}
