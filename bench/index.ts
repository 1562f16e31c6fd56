import Table from 'cli-table3';
import { measureCommands } from './commands.ts';
import { measureDelegation } from './delegation.ts';
import { measureDepth, measureLimit } from './depth.ts';
import { measureFanOut } from './fan-out.ts';
import { measureJudging } from './judging.ts';
import { isKept, type Measured } from './measured.ts';
import { measureMemory } from './memory.ts';

// Measures what the reference and the kit cost: `--json` prints the ratios as one object, else everything as a table.

const ratios = [measureDelegation, measureDepth, measureFanOut, measureJudging];
const others = [measureLimit, measureMemory, measureCommands];

if (process.argv.includes('--json')) {
  const found = await all(ratios);
  console.log(JSON.stringify(Object.fromEntries(found.map(({ name, value }) => [name, rounded(value)]))));
} else {
  const found = await all([...ratios, ...others]);
  console.log(tableOf(found));
  process.exitCode = found.every(isKept) ? 0 : 1;
}

async function all(measures: readonly (() => Promise<readonly Measured[]>)[]): Promise<readonly Measured[]> {
  const found: Measured[] = [];
  for (const measure of measures) found.push(...(await measure()));
  return found;
}

function tableOf(found: readonly Measured[]): string {
  const table = new Table({ head: ['measure', 'value', 'at most', ''], style: { head: [], border: [] }, colAligns: ['left', 'right', 'right', 'left'] });
  for (const measured of found) {
    const { name, value, bar, unit = '' } = measured;
    table.push([name, `${rounded(value)} ${unit}`.trim(), `${bar} ${unit}`.trim(), isKept(measured) ? 'kept' : 'MISSED']);
  }
  return table.toString();
}

function rounded(value: number): number {
  return Number(value.toPrecision(3));
}
