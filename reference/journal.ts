/** Entries in the order in which they were made, for any number of readers. Writing never waits for reading. */
export class Journal<T> {
  readonly #entries: T[] = [];
  #closed = false;
  #news = Promise.withResolvers<void>();

  add(entry: T): void {
    this.#entries.push(entry);
    this.#wake();
  }

  /** Lets readers come to an end. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Reads from the first entry on. */
  async *read(): AsyncGenerator<T, void> {
    for (let read = 0; !(this.#closed && read === this.#entries.length); ) {
      if (read < this.#entries.length) yield this.#entries[read++] as T;
      else await this.#news.promise;
    }
  }

  #wake(): void {
    this.#news.resolve();
    this.#news = Promise.withResolvers<void>();
  }
}
