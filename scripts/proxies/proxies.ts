/**
 * HAProxy, nginx and Varnish as in their documentation, with a cache in front of the service where they have one.
 * Each refuses DELETE, so that a DELETE that reaches the service was smuggled past it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Proxy {
  name: string;
  /** The program, for scripts/debian.ts. */
  program: string;
  /** The prefix of paths that it asks the service for by HTTP/1.0. */
  http10?: string;
  /** Whether it compresses responses. */
  packs?: boolean;
  /** Writes its configuration into the folder and returns the command that runs it in the foreground. */
  prepare(folder: string, port: number, service: number): Promise<string[]>;
}

const haproxy: Proxy = {
  name: 'HAProxy',
  program: 'haproxy',
  async prepare(folder, port, service) {
    const file = join(folder, 'haproxy.cfg');
    await writeFile(
      file,
      `defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 10s
  option forwardfor
cache pages
  total-max-size 16
  max-age 600
  process-vary on
frontend front
  bind 127.0.0.1:${port}
  http-request deny deny_status 403 if METH_DELETE
  http-request cache-use pages
  http-response cache-store pages
  default_backend service
backend service
  http-reuse always
  server one 127.0.0.1:${service}
`,
    );
    return ['haproxy', '-db', '-f', file];
  },
};

const nginx: Proxy = {
  name: 'nginx',
  program: 'nginx',
  http10: '/http-1.0',
  packs: true,
  async prepare(folder, port, service) {
    const file = join(folder, 'nginx.conf');
    await mkdir(join(folder, 'cache'));
    // Host is not set: by default, nginx sends that of the service, for sign-ins one of loopback.
    await writeFile(
      file,
      `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx-error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  proxy_cache_path ${folder}/cache keys_zone=pages:1m;
  upstream service { server 127.0.0.1:${service}; keepalive 4; }
  server {
    listen 127.0.0.1:${port};
    if ($request_method = DELETE) { return 403; }
    proxy_cache pages;
    proxy_cache_valid any 10m;
    add_header X-Cache-Status $upstream_cache_status always;
    gzip on;
    gzip_types application/json;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
    location / { proxy_pass http://service; }
    location /http-1.0/ {
      proxy_http_version 1.0;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_pass http://127.0.0.1:${service}/;
    }
    location = /session { proxy_pass http://127.0.0.1:${service}; }
  }
}
`,
    );
    return ['nginx', '-c', file, '-e', `${folder}/nginx-error.log`];
  },
};

const varnish: Proxy = {
  name: 'Varnish',
  program: 'varnishd',
  async prepare(folder, port, service) {
    const file = join(folder, 'default.vcl');
    await writeFile(
      file,
      `vcl 4.1;
backend service { .host = "127.0.0.1"; .port = "${service}"; }
sub vcl_recv { if (req.method == "DELETE") { return (synth(403)); } }
`,
    );
    const here = ['-n', join(folder, 'varnish'), '-a', `127.0.0.1:${port}`, '-f', file];
    return ['varnishd', '-F', '-j', 'none', '-s', 'malloc,16m', ...here];
  },
};

export const proxies = [haproxy, nginx, varnish];
