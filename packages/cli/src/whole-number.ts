import { InvalidArgumentError } from 'commander';

/** Reads an option that is a whole number up to `max`. */
export function wholeNumber(max: number) {
  return (text: string): number => {
    const value = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Infinity;
    if (value > max) throw new InvalidArgumentError(`It must be a whole number from 0 to ${max}.`);
    return value;
  };
}
