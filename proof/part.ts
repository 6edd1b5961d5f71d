/** One proof, asked for by its name. */
export type Part = {
  /** One line: what it proves. */
  readonly proves: string;
  /** Every option, a line each. */
  readonly options: readonly string[];
  /** Runs it with the words behind its name. Answers whether everything held; throws a sentence for words that cannot be meant. */
  run(words: readonly string[], say: (line: string) => void): Promise<boolean>;
};
