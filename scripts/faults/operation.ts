/** Faults in what operators have to do with: settings, the doctor, what is measured, the package, what is remembered. */
import type { Fault } from './fault.ts';

export const operationFaults: readonly Fault[] = [
  {
    name: 'a secret in a file takes the place of the one in the environment without a word',
    file: 'src/config/read.ts',
    tests: ['test/config/read.test.ts'],
    find: "if (text !== '') throw new BadSetting(",
    replace: "if (text === 'both') throw new BadSetting(",
  },
  {
    name: 'metrics stay where the API is although they have an address of their own',
    file: 'src/http/app.ts',
    tests: ['test/http/operations-address.test.ts'],
    find: 'if (options.servesOperations) operationsRoutes',
    replace: 'operationsRoutes',
  },
  {
    name: 'few megabytes of buffers have V8 collect everything',
    file: 'src/cli/collector.ts',
    tests: ['test/cli/collector.test.ts'],
    find: "setFlagsFromString('--incremental-marking-soft-trigger=75');",
    replace: '',
  },
  {
    name: 'the doctor takes a receiver of which one address is inside for a good one',
    file: 'src/cli/doctor/receivers.ts',
    tests: ['test/cli/doctor/outside.test.ts'],
    find: 'addresses.filter((address) => isForbidden(address, rules))',
    replace: 'addresses.filter((address) => isForbidden(address, rules)).slice(1)',
  },
  {
    name: 'the doctor takes whatever answers for the service',
    file: 'src/cli/doctor/addresses.ts',
    tests: ['test/cli/doctor/addresses.test.ts'],
    find: 'if (named !== publicUrl)',
    replace: "if (named === '')",
  },
  {
    name: 'the doctor names another address than the one that it asked',
    file: 'src/cli/doctor/addresses.ts',
    tests: ['test/cli/doctor/addresses.test.ts'],
    find: 'livenessFinding(operations, status)',
    replace: 'livenessFinding(own, status)',
  },
  {
    name: 'a file that the doctor cannot read is damaged for it',
    file: 'src/cli/doctor/database-file.ts',
    tests: ['test/cli/doctor/database.test.ts'],
    find: 'may(path, constants.R_OK) ? whole(path) : []',
    replace: 'whole(path)',
  },
  {
    name: 'a damaged file is in order for the doctor',
    file: 'src/cli/doctor/database-file.ts',
    tests: ['test/cli/doctor/database.test.ts'],
    find: "damage === 'ok'",
    replace: "damage !== ''",
  },
  {
    name: 'the doctor ends well although something is wrong',
    file: 'src/cli/commands/doctor.ts',
    tests: ['test/cli/doctor/settings.test.ts'],
    find: 'if (wrong > 0) process.exitCode',
    replace: 'if (wrong > 9) process.exitCode',
  },
  {
    name: 'what was used last is forgotten first',
    file: 'src/lib/lru.ts',
    tests: ['test/lib/lru.test.ts'],
    find: 'if (entry === newest) return;',
    replace: 'if (entry !== oldest) return;',
  },
  {
    name: 'Stripe gets another form than its own',
    file: 'src/methods/stripe/form.ts',
    tests: ['test/methods/stripe/client.test.ts'],
    find: '`${name}[${key}]`',
    replace: '`${name}.${key}`',
  },
  {
    name: 'a call to Stripe is made again after a refusal to repeat it',
    file: 'src/methods/stripe/client.ts',
    tests: ['test/methods/stripe/client.test.ts'],
    find: "if (shouldRetry !== null) return shouldRetry === 'true';",
    replace: "if (shouldRetry === 'true') return true;",
  },
];
