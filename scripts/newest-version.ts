/** The newest release of a major version; prereleases do not count. */
export function newestOf(versions: readonly string[], major: number): string | undefined {
  const releases = versions.filter(
    (version) => /^\d+\.\d+\.\d+$/.test(version) && Number.parseInt(version, 10) === major,
  );
  return releases.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
}
