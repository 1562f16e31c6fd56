import * as reference from '../../reference/index.ts';
import { ALL_CAPABILITIES } from '../../spec/model/capability.ts';
import type { MutableAdapter, Parts } from '../../spec/model/parts.ts';
import type { Adapter, Instruments, RunInput, RunTeam } from '../../spec/model/ports.ts';
import { nodesOf } from './nodes.ts';

const parts = reference.createParts();
const adapter: MutableAdapter = { ...builtFrom(parts), withParts: (change) => builtFrom({ ...parts, ...change(parts) }) };
export default adapter;

function builtFrom(its: Parts): Adapter {
  const runner = reference.createRunner({ parts: its });
  const delegation: Adapter['delegation'] = (team, kit) => runTeam(nodesOf(team, kit, runner)(team.root), runner, kit);
  return { name: 'reference', version: reference.version, capabilities: ALL_CAPABILITIES, delegation };
}

function runTeam(root: reference.Node, runner: reference.Runner, { clock }: Instruments): RunTeam {
  return async ({ prompt, deps, onEvent, stream, ...brought }) => {
    const ledger = runner.parts.createLedger(prompt);
    const start = { ...brought, runner, ledger, clock, bus: busTelling(onEvent), deps: reference.createDeps(deps) };
    const run = stream ? reference.stream(root, prompt, start) : { result: root.run(prompt, start), textStream: undefined };
    const streamed = run.textStream && (await Array.fromAsync(run.textStream)).join('');
    const { succeeded, output, error } = await run.result;
    const usage = ledger.report();
    if (succeeded) return { status: 'completed', text: output, streamed, usage };
    return { status: reference.isDelegationError(error, 'cancelled') ? 'cancelled' : 'failed', error, streamed, usage };
  };
}

function busTelling(onEvent: RunInput['onEvent']): reference.Bus {
  const bus = reference.createBus();
  bus.subscribe((event) => event.kind !== 'text' && onEvent({ ...event, prompt: 'input' in event ? String(event.input) : undefined }));
  return bus;
}
