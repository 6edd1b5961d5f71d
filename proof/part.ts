import { cpus } from "node:os";

/** One proof, run by its name. */
export type Part = {
  /** One line: what it proves. */
  readonly proves: string;
  /** Every option, a line each. */
  readonly options: readonly string[];
  /** Runs it with the words behind its name. Answers whether everything held; throws a sentence for words that cannot be meant. */
  run(words: readonly string[], say: (line: string) => void): Promise<boolean>;
};

/** One line: the computer and its Node, for the head of a report. */
export const computer = (): string =>
  `${cpus().length} cores (${cpus()[0]?.model.trim() ?? "unknown"}), Node ${process.version}`;

/** Ctrl+C ends every program that was started, and then the run. */
export function endOnInterrupt(end: () => Promise<void>, say: (line: string) => void): void {
  const stop = (): void => {
    say("interrupted: every program is being stopped");
    void end().finally(() => process.exit(130));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, stop);
}
