import { Readable, type ReadableOptions } from 'node:stream';

/**
 * A stream of what a generator makes. `Readable.from` does that as well, but sets functions on each stream: V8 makes a
 * function that is written behind `object.name =` among its old objects, where it keeps all that hangs on the stream.
 */
export class GeneratedReadable extends Readable {
  readonly #pieces: AsyncIterator<string | Uint8Array>;

  constructor(pieces: AsyncIterable<string | Uint8Array>, options?: Pick<ReadableOptions, 'highWaterMark'>) {
    super(options);
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  override async _read(): Promise<void> {
    try {
      const { value, done } = await this.#pieces.next();
      this.push(done ? null : value);
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /** Lets the generator come to its end, which may wait for something. */
  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const ended = this.#pieces.return?.() ?? Promise.resolve();
    ended.then(
      () => callback(error),
      (failure) => callback(error ?? failure),
    );
  }
}
