type Environment = Record<string, string | undefined>;

/** Reads settings of each kind, and lists what is wrong with them. */
export function settingReaders(env: Environment, faults: string[]) {
  const integer = (name: string, fallback: number, min: number, max: number): number => {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
    faults.push(`${name} must be a whole number from ${min} to ${max}`);
    return fallback;
  };
  const choice = <T extends string>(name: string, fallback: T, choices: readonly T[]): T => {
    const text = env[name];
    if (text === undefined || text === '') return fallback;
    if ((choices as readonly string[]).includes(text)) return text as T;
    faults.push(`${name} must be one of: ${choices.join(', ')}`);
    return fallback;
  };
  const list = (name: string, right: (item: string) => boolean, what: string): string[] => {
    const items = (env[name] ?? '').split(',').map((item) => item.trim());
    const given = items.filter((item) => item !== '');
    if (!given.every(right)) faults.push(`${name} must be ${what}, separated by commas`);
    return given;
  };
  return { integer, choice, list };
}
