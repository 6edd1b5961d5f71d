import { createHash } from "node:crypto";
import { BackupProblem, END_OF_ROWS, LINE_BYTES_MAX } from "./format.ts";

const NEWLINE = Buffer.from("\n");
const END = Buffer.from(END_OF_ROWS);
/** So much of an end may stand at the end of a piece. */
const END_PART = END.length - 1;

/** Lines of JSON and rows of COPY out of one stream of bytes, with never more of it in memory than a line or a piece. */
export class Lines {
  readonly #pieces: AsyncIterator<Buffer>;
  readonly #hash = createHash("sha256");
  #rest: Buffer = Buffer.alloc(0);
  /** The line read last: it counts as soon as something behind it is read. */
  #last: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next line, without its end. @throws BackupProblem when the stream ends before it or it has no end. */
  async line(): Promise<string> {
    this.#count();
    let at = this.#rest.indexOf(NEWLINE);
    while (at === -1) {
      if (this.#rest.length > LINE_BYTES_MAX)
        throw new BackupProblem("The backup was altered or damaged: do not use it.");
      this.#rest = Buffer.concat([this.#rest, await this.#next()]);
      at = this.#rest.indexOf(NEWLINE);
    }
    this.#last = this.#rest.subarray(0, at + 1);
    this.#rest = this.#rest.subarray(at + 1);
    return this.#last.subarray(0, at).toString("utf8");
  }

  /** Rows up to their end, in pieces of any length. */
  async *rows(): AsyncGenerator<Buffer> {
    this.#count();
    // The end is a line of its own, and so the first line may be one: it is looked for with the newline before it.
    let held = Buffer.concat([NEWLINE, this.#rest]);
    let skip = NEWLINE.length;
    for (;;) {
      const at = held.indexOf(END);
      const upTo = at === -1 ? Math.max(skip, held.length - END_PART) : at + NEWLINE.length;
      if (upTo > skip) {
        const piece = held.subarray(skip, upTo);
        this.#hash.update(piece);
        yield piece;
      }
      if (at !== -1) {
        this.#hash.update(END.subarray(NEWLINE.length));
        this.#rest = held.subarray(at + END.length);
        return;
      }
      const keepFrom = Math.max(0, held.length - END_PART);
      skip = Math.max(0, upTo - keepFrom);
      held = Buffer.concat([held.subarray(keepFrom), await this.#next()]);
    }
  }

  /** SHA-256 of everything before the line that was read last. */
  sha256Before(): string {
    return this.#hash.copy().digest("hex");
  }

  /** @throws BackupProblem when something stands behind the line that was read last. */
  async expectEnd(): Promise<void> {
    const more = this.#rest.length > 0 || !(await this.#pieces.next()).done;
    if (more) throw new BackupProblem("Something stands behind the end of the backup: do not use it.");
  }

  #count(): void {
    this.#hash.update(this.#last);
    this.#last = Buffer.alloc(0);
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#pieces.next();
    if (done) throw new BackupProblem("The backup is cut off: it ends before its end.");
    return value;
  }
}
