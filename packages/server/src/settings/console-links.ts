/** Links from a customer to other systems, which the console shows: CLIENTELE_CONSOLE_LINKS. */
export interface ConsoleLink {
  label: string;
  /** With `{uuid}` and `{email}` where the customer's values go. */
  url: string;
}

const setting = 'CLIENTELE_CONSOLE_LINKS';
const mostLinks = 8;
const longestLabel = 40;

/** `label=address`, separated by commas. Wrong values are named by their position, and not repeated. */
export function readConsoleLinks(
  env: Record<string, string | undefined>,
  faults: string[],
): ConsoleLink[] {
  const items = (env[setting] ?? '').split(',').map((item) => item.trim());
  const links = items.filter((item) => item !== '').map(linkOf);
  if (links.length > mostLinks) faults.push(`${setting} may have at most ${mostLinks} links`);
  const labels = new Set(links.map(({ label }) => label));
  if (labels.size < links.length)
    faults.push(`${setting} must have a different label for each link`);
  for (const [index, link] of links.entries()) {
    const fault = faultOf(link);
    if (fault !== undefined) faults.push(`${setting}: link ${index + 1} ${fault}`);
  }
  return links;
}

function linkOf(item: string): ConsoleLink {
  const [label = '', ...rest] = item.split('=');
  return { label: label.trim(), url: rest.join('=').trim() };
}

function faultOf({ label, url }: ConsoleLink): string | undefined {
  if (label === '' || url === '') {
    return 'must be label=address, such as Orders=https://orders.example/customers/{uuid}';
  }
  if (label.length > longestLabel) return `must have a label of at most ${longestLabel} characters`;
  const filled = url.replaceAll(/\{(uuid|email)\}/g, 'value');
  if (/[{}]/.test(filled)) return 'may have {uuid} and {email} in its address, and no other braces';
  if (/\s/.test(url) || !URL.canParse(filled))
    return 'must have a complete address, such as https://orders.example/{uuid}';
  const { protocol, username, password } = new URL(filled);
  if (protocol !== 'https:') return 'must have an address that starts with https://';
  if (username !== '' || password !== '')
    return 'must not have a user or a password in its address';
  // A customer's value must not decide which host gets it.
  const [, host = ''] = /^https:\/\/([^/?#]*)/i.exec(url) ?? [];
  return /[{}]/.test(host)
    ? 'must not have {uuid} or {email} in the host of its address'
    : undefined;
}
