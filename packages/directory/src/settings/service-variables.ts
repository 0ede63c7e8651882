/**
 * Kubernetes sets these in every container of a namespace, for each of its Services. For one named `clientele`,
 * or `clientele-admin`, they look like settings.
 */
const names =
  /^CLIENTELE_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)$/;
/** A name that a setting could have: only the value shows where it comes from. */
const address = { name: /^CLIENTELE_(?:\w+_)?PORT$/, value: /^(?:tcp|udp|sctp):\/\// };

export function withoutServiceVariables<T>(env: Record<string, T>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(env).filter(
      ([name, value]) =>
        !names.test(name) && !(address.name.test(name) && address.value.test(String(value))),
    ),
  );
}
