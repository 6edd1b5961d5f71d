/** An open file. Every call may reject with the system's own error (`code` ENOSPC, EIO …). */
export interface OpenFile {
  /** Bytes it has now. */
  size(): Promise<number>;
  /** Writes all bytes at `position`, or rejects; some of them may be there then. */
  write(bytes: Buffer, position: number): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Resolves when what was written survives a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** What durable storage needs of a file system; an argument, so that tests can fill the disk and cut the power. */
export interface Files {
  /** Makes the folder and those above it. `mode`: the permissions of new ones. */
  makeFolder(path: string, mode?: number): Promise<void>;
  /** Names of what lies in a folder, folders too. */
  list(path: string): Promise<string[]>;
  /** Undefined: there is no such file. */
  read(path: string): Promise<Buffer | undefined>;
  /** Opens for writing, keeping what is there; creates it where missing, for the owner alone. */
  open(path: string): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
  /** A file, or a folder with all that lies in it; nothing where there is none. */
  remove(path: string): Promise<void>;
  /** Makes names in the folder durable. */
  syncFolder(path: string): Promise<void>;
}
