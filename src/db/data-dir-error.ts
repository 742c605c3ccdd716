/** Reports that `DATA_DIR` cannot be used. The message is one line and says what the operator can do. */
export class DataDirError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DataDirError';
  }
}

/** Turns a file system error into a `DataDirError`, and returns any other error unchanged. */
export function dataDirError(directory: string, error: unknown): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (error instanceof DataDirError || syscall === undefined) return error;
  return new DataDirError(
    `DATA_DIR ${directory} cannot be used (${code}). Set DATA_DIR to a directory on a local disk that this user can ` +
      'write to, or set DATABASE_URL.',
    { cause: error },
  );
}
