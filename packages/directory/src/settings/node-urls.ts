/** DATABASE_URL in libpq's form for several nodes: `postgres://user:password@a:5432,b:5432/database`. */

const shape = /^(postgres(?:ql)?:\/\/)((?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/** The URL of each node, in the order given. Undefined unless every part is well-formed. */
export function nodeUrls(url: string): string[] | undefined {
  const [, scheme, login, hosts, rest] = shape.exec(url) ?? [];
  if (hosts === undefined) return undefined;
  const urls = hosts.split(',').map((host) => `${scheme}${login}${host}${rest}`);
  if (!urls.every((each) => URL.canParse(each))) return undefined;
  // One host may be left out or given as a parameter, such as the folder of a socket.
  if (urls.length === 1) return urls;
  const names = urls.map(nodeName);
  const complete = names.every((name) => !name.startsWith(':'));
  return complete && new Set(names).size === names.length ? urls : undefined;
}

/** `host:port`, for metrics and messages: without the login, which is a secret. */
export function nodeName(url: string): string {
  const { hostname, port } = new URL(url);
  return `${decodeURIComponent(hostname)}:${port || '5432'}`;
}
