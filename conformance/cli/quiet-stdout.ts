/** Sends whatever is printed meanwhile to standard error: standard output is for the report. */
export async function withQuietStdout<T>(body: () => Promise<T>): Promise<T> {
  const { write } = process.stdout;
  process.stdout.write = process.stderr.write.bind(process.stderr);
  try {
    return await body();
  } finally {
    process.stdout.write = write;
  }
}
