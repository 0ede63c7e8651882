const young = '--max-semi-space-size';

/**
 * V8 lets objects that live for a moment take up to 100 MB, for a speed that a server does not need,
 * and only a new process can be told otherwise. So the process becomes a new one: same number, same
 * streams. Whoever has chosen a size in NODE_OPTIONS keeps it; and a parent that talks to the process
 * (`node --watch`) would lose it.
 */
export function limitYoungGeneration(): void {
  const told = [...process.execArgv, process.env['NODE_OPTIONS'] ?? ''];
  const chosen = told.some((option) => option.includes(young));
  if (chosen || process.connected || process.platform === 'win32') return;
  process.execve?.(
    process.execPath,
    [process.execPath, ...process.execArgv, `${young}=8`, ...process.argv.slice(1)],
    process.env,
  );
}
