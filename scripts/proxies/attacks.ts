/**
 * Requests whose end two servers may see in different places. Each hides a DELETE /session, which the proxies refuse:
 * if the service receives one, they disagreed.
 */
const hidden = 'DELETE /session HTTP/1.1\r\nHost: x\r\n\r\n';
const chunk = `${hidden.length.toString(16)}\r\n${hidden}\r\n`;
const start = (line: string): string => `${line} HTTP/1.1\r\nHost: customers.example\r\n`;
const post = `${start('POST /session')}Content-Type: application/json\r\n`;
const get = start('GET /livez');

const lengthThenChunks = (encoding: string): string =>
  `${post}Content-Length: ${5 + hidden.length}\r\n${encoding}\r\n\r\n0\r\n\r\n${hidden}`;
const chunksThenLength = (encoding: string): string =>
  `${post}Content-Length: 4\r\n${encoding}\r\n\r\n${chunk}0\r\n\r\n`;

const encodings = [
  'Transfer-Encoding: chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\tchunked',
  'Transfer-Encoding:\x0bchunked',
  ' Transfer-Encoding: chunked',
  'X: y\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity, chunked',
  'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked',
  'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding:\r\n chunked',
  'Transfer_Encoding: chunked',
  'TRANSFER-ENCODING: CHUNKED',
  'Transfer-Encoding: chunk\x00ed',
];

const lengths = (first: string, second: string): string =>
  `${post}Content-Length: ${first}\r\nContent-Length: ${second}\r\n\r\n${hidden}`;
const length = (value: string): string => `${post}Content-Length: ${value}\r\n\r\n${hidden}`;
const full = String(hidden.length);
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;

export const attacks: string[] = [
  ...encodings.flatMap((encoding) => [lengthThenChunks(encoding), chunksThenLength(encoding)]),
  lengths('0', full),
  lengths(full, '0'),
  ...[`+${full}`, `-0`, `0${full}`, `${full},0`, `0, ${full}`, `0x${full}`, `${full} 0`, ''].map(
    length,
  ),
  // Sizes of chunks that one may read and the other not.
  `${chunked}0;${'x'.repeat(20)}\n\r\n\r\n${hidden}`,
  `${chunked}0\n\n${hidden}`,
  `${chunked}0x0\r\n\r\n${hidden}`,
  `${chunked}${'0'.repeat(20)}\r\n\r\n${hidden}`,
  `${chunked}1${'0'.repeat(16)}\r\n${hidden}`,
  `${chunked}-1\r\n\r\n${hidden}`,
  `${chunked}0\r\nContent-Length: 5\r\n\r\n${hidden}`,
  // A body on a read.
  `${get}Content-Length: ${full}\r\n\r\n${hidden}`,
  `${get}Transfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`,
  `${get}Content-Length: ${full}\r\nExpect: 100-continue\r\n\r\n${hidden}`,
  // Ends of lines.
  `${start('GET /livez').replaceAll('\r\n', '\n')}Content-Length: ${full}\n\n${hidden}`,
  `${start('GET /livez')}X: y\r\n\n${hidden}`,
  `GET /livez HTTP/1.1\r\nHost: customers.example\rContent-Length: ${full}\r\n\r\n${hidden}`,
  // A request in another version, a protocol switch, a second request in the target.
  `GET /livez HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`,
  `${get}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n\r\n${hidden}`,
  `${get}Connection: close, Content-Length\r\nContent-Length: ${full}\r\n\r\n${hidden}`,
  `GET /livez HTTP/1.1 HTTP/1.1\r\nHost: x\r\n\r\n${hidden}`,
  `GET /livez%20HTTP/1.1%0d%0aHost:%20x%0d%0a%0d%0aDELETE%20/session HTTP/1.1\r\nHost: x\r\n\r\n`,
];
