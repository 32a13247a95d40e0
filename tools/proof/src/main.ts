import { randomInt } from 'node:crypto';
import { Command, InvalidArgumentError, Option } from 'commander';
import { allKinds, allProofs } from './all-proofs.js';
import { hasFailures, type Proof, type ProofContext, runProofs } from './proof.js';
import { formatRuns } from './report.js';
import { killStarted } from './system/programs.js';

const seedLimit = 2 ** 31;

process.on('exit', killStarted);
process.on('SIGINT', () => process.exit(130)).on('SIGTERM', () => process.exit(143));

await new Command('proof')
  .description('Try to break the guarantees of the built service, in seeded trials on this machine.')
  .addOption(
    new Option(
      '--only <names>',
      `the proofs or kinds to run, separated by commas: ${Object.keys(allProofs).join(', ')}`,
    )
      .argParser(parseProofs)
      .default(allProofs, 'all'),
  )
  .option('--seed <seed>', `an integer below ${seedLimit} (default: random)`, parseSeed)
  .addOption(
    new Option('--amount <amount>', 'how many trials').choices(['short', 'full'] as const).default('full'),
  )
  .option(
    '--setting <NAME=value>',
    'a setting of every service, such as WORKERS=2 (repeatable)',
    createPairParser(/^([A-Z_]+)=(.*)$/, 'WORKERS=2', String),
    {},
  )
  .option(
    '--trials <name=count>',
    'how many trials of a kind, instead of --amount, such as crash-sqlite=50 (repeatable)',
    createPairParser(
      new RegExp(`^(${allKinds.map(({ name }) => name).join('|')})=(\\d{1,6})$`),
      'crash-sqlite=50',
      Number,
    ),
    {},
  )
  .showHelpAfterError()
  .action(async ({ seed = randomInt(seedLimit), amount, setting, trials, only }) => {
    const context: ProofContext = { seed, amount, settings: setting, trials, log };
    log(`seed ${seed}, amount ${amount}`);
    const runs = await runProofs(only, context);
    process.stdout.write(formatRuns(runs));
    if (hasFailures(runs)) {
      log(`A guarantee was broken. To reproduce: --seed ${seed} --amount ${amount}`);
      process.exitCode = 1;
    }
  })
  .parseAsync();

function log(line: string): void {
  process.stderr.write(`${line}\n`);
}

function parseProofs(text: string): Record<string, Proof> {
  const chosen = text.split(',').map((name): [string, Proof] => {
    const proof = allProofs[name] ?? allKinds.filter((kind) => kind.name === name);
    if (proof.length === 0) throw new InvalidArgumentError(`Unknown proof ${name}.`);
    return [name, proof];
  });
  return Object.fromEntries(chosen);
}

function parseSeed(text: string): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) >= seedLimit)
    throw new InvalidArgumentError(`Expected an integer from 0 to ${seedLimit - 1}.`);
  return Number(text);
}

/** Returns an option parser that adds a name and a value to the previous ones. Its error shows `example`. */
function createPairParser<Value>(pattern: RegExp, example: string, toValue: (text: string) => Value) {
  return (text: string, previous: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> => {
    const [, name, value] = pattern.exec(text) ?? [];
    if (name === undefined || value === undefined)
      throw new InvalidArgumentError(`Expected a name and a value, such as ${example}.`);
    return { ...previous, [name]: toValue(value) };
  };
}
