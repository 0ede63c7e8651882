import { readConfig } from '@clientele/server';
import { describe, expect, test } from 'vitest';

const url = 'postgres://clientele@db.internal.example:5432/clientele';

describe('the variables that Kubernetes sets for Services', () => {
  const variables = (prefix: string) => ({
    [`${prefix}_SERVICE_HOST`]: '10.0.171.239',
    [`${prefix}_SERVICE_PORT`]: '8080',
    [`${prefix}_SERVICE_PORT_HTTP`]: '8080',
    [`${prefix}_SERVICE_PORT_ADMIN_METRICS`]: '9090',
    [`${prefix}_PORT`]: 'tcp://10.0.171.239:8080',
    [`${prefix}_PORT_8080_TCP`]: 'tcp://10.0.171.239:8080',
    [`${prefix}_PORT_8080_TCP_PROTO`]: 'tcp',
    [`${prefix}_PORT_8080_TCP_PORT`]: '8080',
    [`${prefix}_PORT_8080_TCP_ADDR`]: '10.0.171.239',
  });

  test.each(['CLIENTELE', 'CLIENTELE_ADMIN', 'CLIENTELE_READ_FROM'])(
    'for one named %s are ignored',
    (prefix) => {
      expect(readConfig({ DATABASE_URL: url, ...variables(prefix) })).toEqual(
        readConfig({ DATABASE_URL: url }),
      );
    },
  );

  test.each([
    ['CLIENTELE_PORT', '9000'],
    ['CLIENTELE_PORT_ADMIN', 'tcp://10.0.171.239:8080'],
    ['CLIENTELE_SERVICE', '10.0.171.239'],
    ['CLIENTELE_SERVICE_HOSTS', '10.0.171.239'],
  ])('do not hide a mistake: %s=%s is rejected', (name, value) => {
    expect(() => readConfig({ DATABASE_URL: url, [name]: value })).toThrow(
      `${name} is not a setting`,
    );
  });
});
