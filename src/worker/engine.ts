/** The service without HTTP: the writer and the worker on a store, and the news that they have for each other. */
import type { Serializer } from '../checkout/serializer.ts';
import type { Backlog } from '../writer/backlog.ts';
import type { Committed } from '../writer/command.ts';
import { createWriter, type Execute } from '../writer/writer.ts';
import { createWorker } from './worker.ts';

type Options = Omit<Parameters<typeof createWorker>[0], 'execute'> & {
  readonly serializer: Serializer;
  readonly onCommitted: (committed: Committed) => void;
  readonly maxBatch?: number;
  readonly backlog?: Backlog;
};

export function createEngine({ serializer, onCommitted, ...options }: Options) {
  const write = createWriter({ serializer, ...options });
  const execute: Execute = async (command, serialize) => {
    const executed = await write(command, serialize);
    const { committed } = executed;
    if (committed !== null) {
      onCommitted(committed);
      if (committed.deliveries) worker.nudge('deliveries', committed.tenant);
    }
    return executed;
  };
  const worker = createWorker({ ...options, execute });
  return { execute, worker };
}
