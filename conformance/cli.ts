#!/usr/bin/env node
import { fileURLToPath } from 'node:url';

// Everything else is imported only once it is known that this Node can: an old one would fail on the import.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`delegation-tck needs Node 22.18 or later; this is Node ${process.versions.node} (${process.execPath}).`);
  process.exitCode = 3;
} else if (process.argv[2] === 'watched' && process.send) {
  const { serve } = await import('./watched.ts');
  serve();
} else {
  const { main } = await import('./cli/main.ts');
  await main(process.argv.slice(2), fileURLToPath(import.meta.url));
}
