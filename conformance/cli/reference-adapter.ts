import { fileURLToPath, pathToFileURL } from 'node:url';
import type { MutableAdapter } from '../../spec/model/parts.ts';
import type { Adapter } from '../../spec/model/ports.ts';

/** The reference adapter that belongs to this kit: beside it in its sources, and in what is built from them. */
export function referenceAdapter(entry: string): string {
  return fileURLToPath(new URL(entry.endsWith('.ts') ? '../adapters/reference/index.ts' : './adapters/reference.js', pathToFileURL(entry)));
}

/** Tells whether parts of an adapter's runtime can be broken on purpose. */
export function isMutable(adapter: Adapter): adapter is MutableAdapter {
  return 'withParts' in adapter && typeof adapter.withParts === 'function';
}
