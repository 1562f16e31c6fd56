import { Command, CommanderError, Option } from 'commander';
import { UsageError } from '../usage-error.ts';
import { VERSION } from '../version.ts';
import type { CertifyArguments } from './certify.ts';
import type { ExplainArguments } from './explain.ts';
import { printFailure, usageLine } from './failure.ts';
import type { MutantsArguments } from './mutants.ts';
import type { Mention } from './outputs.ts';
import type { ReplayArguments } from './replay.ts';

const EXIT_CODES = `
Exit codes:
  0  certified, or nothing beyond the baseline
  1  a requirement is violated beyond the baseline, or an entry of it is stale
  2  a MUST is inconclusive, or a verdict is nondeterministic
  3  faulted (the adapter or the kit broke), or bad usage
A violation outweighs a fault, and a fault what was not decided.`;

/**
 * Carries a command line out. Each command imports its own code, so that help comes at once.
 * @param entry the script that a watched process is started from.
 */
export async function main(argv: readonly string[], entry: string): Promise<void> {
  const program = commands(entry);
  try {
    if (argv.length === 0) throw new UsageError('No command was given. Give certify, replay, spec, explain or mutants; `delegation-tck --help` tells what they do.');
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return finish(0);
    printFailure(error instanceof CommanderError ? new UsageError(usageLine(error)) : error, argv.includes('--debug'));
    finish(3);
  }
}

/** Ends the process once what it wrote is out: a runtime that was certified here may have left timers or sockets open. */
function finish(code: number): void {
  process.exitCode = code;
  process.stdout.write('', () => process.exit(code));
}

function commands(entry: string): Command {
  const program = configured(new Command('delegation-tck'))
    .description('Proves that an agent runtime delegates correctly.')
    .version(VERSION, '--version', 'print the version')
    .addHelpText('after', EXIT_CODES);
  program.addCommand(certifyCommand(entry));
  program.addCommand(replayCommand(entry));
  program.addCommand(specCommand());
  program.addCommand(explainCommand(entry));
  program.addCommand(mutantsCommand(entry));
  return program;
}

/** Commander throws instead of exiting, and leaves it to us to word errors. */
function configured(command: Command): Command {
  return command
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .helpOption('-h, --help', 'print this')
    .helpCommand(false);
}

const debug = (): Option => new Option('--debug', 'print stack traces');
const noIsolate = (): Option => new Option('--no-isolate', 'stay in this process, for a debugger');
const patience = (): Option => new Option('--patience <duration>').hideHelp();
const several = (value: string, before: readonly string[] = []): readonly string[] => [...before, value];

function certifyCommand(entry: string): Command {
  const mentions: Mention[] = [];
  const command = configured(new Command('certify'))
    .description('certify a runtime: enact generated scenarios, and judge them by every requirement')
    .argument('[adapter]', 'a directory, a .ts or .js file, or a package')
    .option('--profile <name>', 'the chapters to certify: in-process', 'in-process')
    .option('--chapter <name>', 'only this chapter; may be repeated', several)
    .option('--only <id>', 'only this requirement; may be repeated, and adds to --chapter', several)
    .option('--cases <n>', 'how many scenarios to generate')
    .option('--seed <s>', 'the seed that they are generated from')
    .option('--time-budget <duration>', 'stop after so long: 30 or 30s, 500ms, 2m')
    .option('--baseline <file>', 'known violations: { "violations": [{ "id", "reason" }] }')
    .option('--json', 'print the certificate and nothing else: --reporter json')
    .option('--reporter <name>', 'console, json or junit; may be repeated')
    .option('--out <file>', 'where a report goes, or - for standard output: as many as reporters, in the same order, or each after its own')
    .addOption(noIsolate())
    .addOption(patience())
    .addOption(debug())
    .addHelpText('after', EXIT_CODES);
  command.on('option:reporter', (value: string) => mentions.push({ option: 'reporter', value }));
  command.on('option:json', () => mentions.push({ option: 'reporter', value: 'json' }));
  command.on('option:out', (value: string) => mentions.push({ option: 'out', value }));
  return command.action(async (adapter: string | undefined, options: Omit<CertifyArguments, 'adapter' | 'mentions'>) => {
    const { certifyAndReport } = await import('./certify.ts');
    finish(await certifyAndReport({ ...options, adapter, mentions }, entry));
  });
}

function replayCommand(entry: string): Command {
  return configured(new Command('replay'))
    .description('enact the one case of a token again, and tell it; exits with 1 when it is violated again')
    .argument('<token>', 'from a report')
    .option('--adapter <path>', 'another adapter than the one in the token')
    .option('--json', 'print what came of it as JSON and nothing else')
    .addOption(noIsolate())
    .addOption(patience())
    .addOption(debug())
    .action(async (token: string, options: Omit<ReplayArguments, 'token'>) => {
      const { replayAndTell } = await import('./replay.ts');
      finish(await replayAndTell({ ...options, token }, entry));
    });
}

function specCommand(): Command {
  return configured(new Command('spec'))
    .description('print the specification: all chapters, one chapter, or one requirement with its formula and mutants')
    .argument('[what]', 'a chapter or an id')
    .option('--json', 'print it as JSON')
    .addOption(debug())
    .action(async (what: string | undefined, { json }: { json?: boolean }) => {
      const { printSpec } = await import('./spec.ts');
      await printSpec(what, json === true);
      finish(0);
    });
}

function explainCommand(entry: string): Command {
  return configured(new Command('explain'))
    .description('tell what a verdict rests on: how often a requirement came up, in which kinds of scenario, and what breaks it')
    .argument('<id>', 'a requirement')
    .option('--adapter <path>', 'another adapter than the reference')
    .option('--json', 'print it as JSON and nothing else')
    .option('--cases <n>', 'how many scenarios to look at')
    .option('--seed <s>', 'the seed that they are generated from')
    .addOption(debug())
    .action(async (id: string, options: Omit<ExplainArguments, 'id'>) => {
      const { explainAndPrint } = await import('./explain.ts');
      await explainAndPrint({ ...options, id }, entry);
      finish(0);
    });
}

function mutantsCommand(entry: string): Command {
  return configured(new Command('mutants'))
    .description('show that every requirement can fail: break the reference runtime on purpose, one thing at a time')
    .argument('[id]', 'only the mutants of this requirement')
    .option('--json', 'print the kill matrix as JSON and nothing else')
    .option('--cases <n>', 'how many scenarios each mutant has to survive')
    .option('--seed <s>', 'the seed that they are generated from')
    .option('--adapter <path>', 'another adapter with `withParts`')
    .addOption(debug())
    .action(async (id: string | undefined, options: Omit<MutantsArguments, 'id'>) => {
      const { killAndReport } = await import('./mutants.ts');
      finish(await killAndReport({ ...options, id }, entry));
    });
}
