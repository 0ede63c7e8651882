/** Checks that need packages of Debian install none unless somebody agrees. */
import { expect, test } from 'vitest';
import { agreed } from './debian.ts';

const never = (): string => {
  throw new Error('nobody is to be asked');
};

test('packages are installed where CI is set, and where somebody says yes', () => {
  const names = ['podman', 'runc'];
  expect(agreed(names, { ci: 'true', isTerminal: false, ask: never })).toBe(true);
  const asked: string[] = [];
  const answer = (text: string) => (question: string) => {
    asked.push(question);
    return text;
  };
  expect(agreed(names, { ci: '', isTerminal: true, ask: answer('y\n') })).toBe(true);
  expect(agreed(names, { ci: undefined, isTerminal: true, ask: answer('\n') })).toBe(false);
  expect(agreed(names, { ci: undefined, isTerminal: true, ask: answer('no') })).toBe(false);
  expect(asked[0]).toContain('podman runc');
  expect(agreed(names, { ci: undefined, isTerminal: false, ask: never })).toBe(false);
});
