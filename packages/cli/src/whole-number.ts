import { InvalidArgumentError } from 'commander';

/** Parses an option whose value is a whole number within limits. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = /^(0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };
}
