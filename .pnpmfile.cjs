// The packages of Node on npm say `"os": "linux"` where pnpm expects a list. Without one, every machine would get the
// Node of every platform, and `pnpm exec node` might be one that it cannot run.
const asList = (value) => (typeof value === 'string' ? [value] : value);

module.exports = {
  hooks: {
    readPackage: (manifest) =>
      /^node-(linux|darwin)-/.test(manifest.name)
        ? { ...manifest, os: asList(manifest.os), cpu: asList(manifest.cpu) }
        : manifest,
  },
};
