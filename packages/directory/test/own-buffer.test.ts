import { expect, test } from 'vitest';
import { joined, ownBuffer } from '../src/memory/own-buffer.ts';

test('nothing else stays in memory with the buffer of a text', () => {
  const buffer = ownBuffer('[{"name":"Zoë"}]');
  expect(buffer.toString()).toBe('[{"name":"Zoë"}]');
  expect(buffer.buffer.byteLength).toBe(buffer.length);
});

test('nothing else stays in memory with joined buffers', () => {
  const buffer = joined([Buffer.from('a'), Buffer.alloc(0), Buffer.from('bc')]);
  expect(buffer.toString()).toBe('abc');
  expect(buffer.buffer.byteLength).toBe(3);
});
