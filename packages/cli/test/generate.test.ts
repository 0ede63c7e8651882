/** `clientele generate`: options, output, and how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Writable } from 'node:stream';
import { keyCount } from '@clientele/sandbox';
import { customerAt } from '@clientele/sandbox/generator';
import { describe, expect, test } from 'vitest';
import { generate, generateCommand } from '../src/commands/generate.ts';

/** Collects what is written to it, at a given pace. */
class Sink extends Writable {
  text = '';
  readonly #pace: () => Promise<void>;
  constructor(pace = async () => {}) {
    super({ highWaterMark: 1, decodeStrings: false });
    this.#pace = pace;
  }
  override _write(chunk: Buffer | string, _: BufferEncoding, done: (error?: Error) => void) {
    this.text += chunk.toString();
    void this.#pace().then(() => done(), done);
  }
}

describe('the command', () => {
  test('writes data to stdout and messages to stderr, and leaves both open', async () => {
    const streams = { stdout: new Sink(), stderr: new Sink() };
    await generate({ customers: 1500, seed: 9, format: 'ndjson' }, streams);
    const lines = streams.stdout.text.split('\n');
    expect(lines).toHaveLength(1501);
    expect(JSON.parse(lines[1499]!)).toEqual(customerAt(9, 1499));
    expect(streams.stderr.text).toMatch(/1500 customers/);
    expect(streams.stdout.writableEnded || streams.stdout.destroyed).toBe(false);
  });

  test('generates no more than the reader consumes', async () => {
    const { promise: never } = Promise.withResolvers<void>();
    const stdout = new Sink(() => never);
    const ended = generate(
      { customers: keyCount, seed: 1, format: 'csv' },
      { stdout, stderr: stdout },
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(stdout.writableLength).toBeLessThan(1_000_000);
    stdout.destroy(new Error('the reader closed'));
    await expect(ended).rejects.toThrow('the reader closed');
  });

  test('ends without an error when the reader closes the pipe', async () => {
    const module = JSON.stringify(new URL('../src/commands/generate.ts', import.meta.url));
    const program = `import { generateCommand } from ${module};
      await generateCommand().parseAsync(['--customers', '100000000'], { from: 'user' });`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
    let messages = '';
    child.stderr.on('data', (text) => (messages += text));
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    child.stdout.destroy();
    const [code] = await once(child, 'close');
    expect(first.toString()).toMatch(/^uuid,full_name/);
    expect({ code, messages }).toEqual({ code: 0, messages: '' });
  });

  const parse = (...args: string[]) => {
    const quiet = { writeOut: () => {}, writeErr: () => {} };
    const command = generateCommand().exitOverride().configureOutput(quiet);
    let parsed: unknown;
    command.action((options) => (parsed = options));
    command.parse(args, { from: 'user' });
    return parsed;
  };

  test('defaults to seed 1 and CSV', () => {
    expect(parse('--customers', '10')).toEqual({ customers: 10, seed: 1, format: 'csv' });
    const all = ['--customers', '4294967296', '--seed', '4294967295', '--format', 'ndjson'];
    expect(parse(...all)).toEqual({ customers: 2 ** 32, seed: 2 ** 32 - 1, format: 'ndjson' });
  });

  test.each([
    [[]],
    [['--customers', '-1']],
    [['--customers', '1e3']],
    [['--customers', '01']],
    [['--customers', '1.5']],
    [['--customers', '4294967297']],
    [['--customers', '']],
    [['--customers', '5', '--seed', '4294967296']],
    [['--customers', '5', '--format', 'xml']],
    [['--customers', '5', '--colour']],
  ])('rejects %j', (args) => {
    expect(() => parse(...args)).toThrow(/customers|seed|format|colour/);
  });
});
