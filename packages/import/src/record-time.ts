const dayMs = 86_400_000;

/**
 * Whether the time of a record is so far in the future that it must be wrong: until then, no other record
 * could change the customer. A day is enough for wrong clocks and for local times read as UTC.
 */
export const isFarAhead = (time: string): boolean => Date.parse(time) > Date.now() + dayMs;
