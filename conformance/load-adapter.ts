import { existsSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { extname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Adapter } from '../spec/model/ports.ts';
import { checkAdapter } from './define-adapter.ts';
import { isUsageError, UsageError } from './usage-error.ts';

const INDEXES = ['index.ts', 'index.js', 'index.mjs'];
const LOADABLE = ['.ts', '.mts', '.js', '.mjs', '.cjs'];

/**
 * Loads an adapter from a directory, a file or a package.
 * @param given a path relative to `cwd`, or the specifier of a package that `cwd` can import.
 * @throws UsageError when there is none, it throws, or its shape is wrong.
 */
export async function loadAdapter(given: string, cwd: string = process.cwd()): Promise<Adapter> {
  const place = locate(given, cwd);
  const exported = await importing(given, () => (place === undefined ? importFrom(given, cwd) : import(place)));
  const adapter = exported['default'] ?? exported['adapter'];
  if (adapter === undefined) {
    const names = Object.keys(exported).slice(0, 5);
    throw new UsageError(`${given} exports no adapter, but ${names.length === 0 ? 'nothing at all' : names.join(', ')}. Export one as default, or by the name \`adapter\`.`);
  }
  try {
    checkAdapter(adapter);
  } catch (error) {
    throw new UsageError(`${given}: ${(error as Error).message}`, { cause: error });
  }
  return adapter;
}

/** Names an adapter as a replay token keeps it: relative to the working directory, where that is possible. */
export function portablePath(given: string, cwd: string = process.cwd()): string {
  const short = relative(cwd, given);
  return isAbsolute(given) && !short.startsWith('..') && !isAbsolute(short) ? `./${short}` : given;
}

/** The URL of a file on disk; `undefined` when the name can only be that of a package. */
function locate(given: string, cwd: string): string | undefined {
  const path = resolve(cwd, given);
  if (given !== '' && existsSync(path)) return pathToFileURL(statSync(path).isDirectory() ? indexOf(given, path) : path).href;
  if (given === '' || given.startsWith('.') || isAbsolute(given) || LOADABLE.includes(extname(given))) {
    throw new UsageError(`There is no file or directory ${JSON.stringify(given)} in ${cwd}. Give the path of an adapter.`);
  }
  return undefined;
}

function indexOf(given: string, directory: string): string {
  const index = INDEXES.map((name) => join(directory, name)).find((path) => existsSync(path));
  if (index === undefined) throw new UsageError(`The directory ${given} has no ${INDEXES.join(', ')}. Give the file that exports the adapter.`);
  return index;
}

/** Imports a package as a module in `cwd` would. */
async function importFrom(specifier: string, cwd: string): Promise<unknown> {
  const parentURL = pathToFileURL(join(cwd, 'adapter.js')).href;
  const hooks = registerHooks({ resolve: (wanted, context, next) => (wanted === specifier ? next(wanted, { ...context, parentURL }) : next(wanted, context)) });
  try {
    return await import(specifier);
  } catch (error) {
    if (!(error instanceof Error) || !isUnresolved(error, fileURLToPath(parentURL))) throw error;
    throw new UsageError(`There is no file, directory or package ${JSON.stringify(specifier)}. Give the path of an adapter, or a package that can be imported from here.`, {
      cause: error,
    });
  } finally {
    hooks.deregister();
  }
}

/** Tells a package that is not there from one that fails on an import of its own. */
function isUnresolved(error: Error, importer: string): boolean {
  return 'code' in error && String(error.code).startsWith('ERR_') && error.message.includes(importer);
}

async function importing(given: string, load: () => Promise<unknown>): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await load()) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (isUsageError(error)) throw error;
    const [message] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new UsageError(`${given} threw while it was imported: ${message}`, { cause: error });
  }
}
