/** `good`: works. `note`: worth knowing. `bad`: players will notice; `change` says what to do. */
export type FindingState = "good" | "note" | "bad";

/** One thing the doctor looked at. */
export interface Finding {
  /** What it is about, such as `platform` or a machine's id. */
  readonly part: string;
  readonly state: FindingState;
  /** One sentence in plain words; never a key, never a password. */
  readonly says: string;
  /** What to change; only where something is wrong. */
  readonly change?: string;
}

export const good = (part: string, says: string): Finding => ({ part, state: "good", says });
export const note = (part: string, says: string, change?: string): Finding => ({
  part,
  state: "note",
  says,
  ...(change === undefined ? {} : { change }),
});
export const bad = (part: string, says: string, change: string): Finding => ({ part, state: "bad", says, change });

/** The message of an error. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
