/** What was asked for, read. */
export type LoadWish = {
  readonly players: number;
  readonly viewers: number;
  readonly machines: number;
  readonly durationMs: number;
  readonly url: string;
  /** Path of a file; absent: players are made here. */
  readonly accounts: string | undefined;
  readonly depositMinor: number;
  readonly realMoney: boolean;
  readonly seed: number;
  readonly cleanUp: boolean;
  /** The run whose people are cleaned up; absent: all that are found. */
  readonly run: string | undefined;
  readonly by: string | undefined;
  readonly dryRun: boolean;
};
