/** What an API has lost compared with a released one, by their OpenAPI documents. It may only gain. */

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** Texts, and what is different in every release. */
const ignored = new Set(['description', 'summary', 'title', 'tags', 'info', 'servers', 'example']);

/** Each loss with its place in the document. New parameters that must be sent count as losses too. */
export function losses(released: Json, current: Json | undefined, place = ''): string[] {
  if (current === undefined) return [`${place} is missing`];
  if (Array.isArray(released) && Array.isArray(current)) {
    return [...listLosses(released, current, place), ...newDemands(released, current, place)];
  }
  if (isObject(released) && isObject(current)) {
    return Object.keys(released)
      .filter((key) => !ignored.has(key))
      .flatMap((key) => losses(released[key]!, current[key], `${place}/${key}`));
  }
  if (released === current) return [];
  return [`${place} was ${JSON.stringify(released)} and is ${JSON.stringify(current)}`];
}

function listLosses(released: Json[], current: Json[], place: string): string[] {
  return released.flatMap((each, i) => {
    if (!isObject(each)) {
      return current.includes(each) ? [] : [`${place} has no ${JSON.stringify(each)}`];
    }
    const { name } = each;
    const match = name === undefined ? current[i] : current.find((other) => isNamed(other, name));
    return losses(each, match, `${place}/${typeof name === 'string' ? name : i}`);
  });
}

const newDemands = (released: Json[], current: Json[], place: string): string[] =>
  current
    .filter((each) => isObject(each) && each['in'] !== undefined && each['required'] === true)
    .map((each) => (each as { name: string }).name)
    .filter((name) => !released.some((each) => isNamed(each, name)))
    .map((name) => `${place}/${name} is new and required`);

const isNamed = (value: Json, name: Json): boolean => isObject(value) && value['name'] === name;

const isObject = (value: Json): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
