/** The software bill of materials, as CycloneDX 1.6. The same input gives the same bytes. */
import { type BundledPackage, idOf } from './bundled-packages.ts';

interface Contents {
  name: string;
  version: string;
  license: string;
  bundled: BundledPackage[];
  /** Installed next to the bundle by npm, if the platform has them: `name@version`. */
  optional: string[];
  /** From the lockfile, by `name@version`. */
  integrity: ReadonlyMap<string, string>;
}

export function billOfMaterials(contents: Contents): object {
  const { name, version, license, bundled, optional, integrity } = contents;
  const root = component(`${name}@${version}`, 'application');
  const components = [
    ...bundled.map((each) => ({
      ...component(idOf(each), 'library'),
      scope: 'required',
      licenses: licenses(each.license),
      hashes: [hash(idOf(each), integrity)],
    })),
    ...optional.map((id) => ({
      ...component(id, 'library'),
      scope: 'optional',
      hashes: [hash(id, integrity)],
    })),
  ];
  const references = components.map((each) => each['bom-ref']);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...root, licenses: licenses(license) } },
    components,
    dependencies: [{ ref: root['bom-ref'], dependsOn: references }],
  };
}

const licenses = (id: string) => [{ license: { id } }];

function component(id: string, type: 'application' | 'library') {
  const at = id.lastIndexOf('@');
  const [fullName, version] = [id.slice(0, at), id.slice(at + 1)];
  const [group, name] = fullName.startsWith('@') ? fullName.split('/') : [undefined, fullName];
  const purl = `pkg:npm/${fullName.replace('@', '%40')}@${version}`;
  return { type, 'bom-ref': purl, ...(group && { group }), name, version, purl };
}

/** Of the tarball in the registry, as scanners expect it. */
function hash(id: string, integrity: ReadonlyMap<string, string>) {
  const value = integrity.get(id);
  if (!value?.startsWith('sha512-')) throw new Error(`${id} is not in the lockfile`);
  return { alg: 'SHA-512', content: Buffer.from(value.slice(7), 'base64').toString('hex') };
}
