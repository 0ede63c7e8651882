/** What a logged error contains: where it was thrown, and nothing of its message. */
import { describe, expect, test } from 'vitest';
import { describeError } from '../src/http/logging.ts';

const text = (error: unknown): string => JSON.stringify(describeError(error));

describe('a logged error', () => {
  test('has its type, its code and the place where it was thrown', () => {
    const error = Object.assign(new TypeError('Ada Sample'), { code: 'E1' });
    expect(describeError(error)).toEqual({
      type: 'TypeError',
      code: 'E1',
      stack: expect.stringContaining('logging.test.ts'),
    });
    expect(text(error)).not.toContain('Ada');
  });

  test.each([
    'two lines\n at Ada Sample',
    'like a frame\n    at Ada.Sample (file:///Ada.ts:1:1)',
    '\n    at Ada Sample',
    ': \n    at Ada Sample',
    '    at Ada Sample',
    'Error\n    at Ada Sample',
  ])('leaves out every line of its message: %j', (message) => {
    for (const error of [new Error(message), new Error('outer', { cause: new Error(message) })]) {
      expect(text(error)).not.toContain('Ada');
      expect(text(error), 'the frames are kept').toContain('logging.test.ts');
    }
  });

  test('leaves out a message that was replaced since, and with it the frames', () => {
    for (const later of ['', 'E', 'Error', 'second']) {
      const error = new Error('first\n    at Ada Sample');
      void error.stack;
      error.message = later;
      expect(text(error)).not.toContain('Ada');
    }
  });

  test('can be anything that was thrown', () => {
    for (const thrown of [
      undefined,
      null,
      'Ada',
      7,
      { stack: 1, message: 'Ada' },
      { stack: 'Ada' },
    ])
      expect(text(thrown)).not.toContain('Ada');
  });
});
