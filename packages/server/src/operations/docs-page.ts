/** The API reference for people: one page generated from the OpenAPI document, without scripts. */
import { problems } from '@clientele/contract';
import type { openapiDocument } from '@clientele/contract/openapi';

type Document = ReturnType<typeof openapiDocument>;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
/** Escapes HTML and renders `code` spans. */
const prose = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

export function docsPage({ info, paths, components }: Document): string {
  const operations = Object.entries(paths).map(([path, { get }]) => {
    const parameters = get.parameters.map(({ name, in: place, description, schema }) => {
      const { minimum, maximum, default: fallback } = schema as Bounds;
      const bounds = maximum === undefined ? '' : ` ${minimum} to ${maximum}.`;
      const otherwise = fallback === undefined || fallback === '' ? '' : ` Default ${fallback}.`;
      return row(`<code>${name}</code>`, place, prose(description + bounds + otherwise));
    });
    const responses = Object.entries(get.responses).map(([status, { description }]) =>
      row(status, prose(description)),
    );
    const about = 'description' in get ? `<p>${prose(get.description)}</p>` : '';
    return `<h2 id="${get.operationId}">${get.summary}</h2><pre>GET ${escape(path)}</pre>${about}
      ${table(parameters)}<h3>Responses</h3>${table(responses)}`;
  });

  const schemas = Object.entries(components.schemas).map(([name, schema]) => {
    const { properties } = schema as { properties: Record<string, Property> };
    const rows = Object.entries(properties).map(([field, property]) =>
      row(`<code>${field}</code>`, prose(typeOf(property)), prose(property.description ?? '')),
    );
    return `<h3 id="${name}">${name}</h3>${table(rows)}`;
  });

  const errors = Object.entries(problems).map(
    ([code, { status, title }]) =>
      `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
  );

  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Clientele API</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
  body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
  table { border-collapse: collapse; width: 100% }
  td { border-top: 1px solid #8884; padding: .35rem .75rem .35rem 0; vertical-align: top }
  pre { background: #8882; padding: .75rem 1rem; overflow-x: auto }
  tr:target { background: #fc05 }
</style>
<h1>Clientele API ${escape(info.version)}</h1>
<p>${prose(info.description)} Machine-readable version: <a href="/openapi.json">/openapi.json</a>.</p>
<p>Send an access key with each request. Responses are JSON.</p>
<pre>Authorization: Bearer ck_…</pre>
${operations.join('\n')}
<h2>Schemas</h2>
${schemas.join('\n')}
<h2>Errors</h2>
<p>Every error is an RFC 9457 problem document with one of these codes.</p>
${table(errors)}
</html>`;
}

interface Bounds {
  minimum?: number;
  maximum?: number;
  default?: number | string;
}

interface Property {
  type?: string;
  description?: string;
  $ref?: string;
  items?: Property;
  anyOf?: Property[];
  enum?: string[];
}

function typeOf({ type, $ref, items, anyOf, enum: choices }: Property): string {
  if ($ref !== undefined) return $ref.split('/').at(-1)!;
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (items) return `list of ${typeOf(items)}`;
  return choices ? 'one of the codes below' : (type ?? '');
}

const row = (...cells: string[]): string =>
  `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
const table = (rows: string[]): string => `<table>${rows.join('\n')}</table>`;
