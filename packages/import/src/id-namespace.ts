import type pg from 'pg';

/** The namespace of this installation for UUIDs of version 5 (RFC 9562), which make identifiers of other systems UUIDs. */
export async function readIdNamespace(client: pg.ClientBase): Promise<Buffer> {
  const { rows } = await client.query<{ namespace: Buffer }>(
    'select uuid_send(n.namespace) as namespace from clientele.id_namespace as n',
  );
  return rows[0]!.namespace;
}
