import type { Asked } from "../people/person.ts";
import type { Tally } from "../people/tally.ts";
import type { Venue } from "../visitor/venue.ts";

/** How many people are where. */
export type Present = {
  /** Have a seat. */
  readonly seated: number;
  /** Have a place to watch. */
  readonly watching: number;
  /** Of both: pictures come now. */
  readonly seeing: number;
};

/** What a process of people costs. */
export type Effort = {
  /** Of one core, 0 to 1 and more. */
  readonly processorShare: number;
  /** How late the process's own events came, 99 of 100, ms. */
  readonly lateMs: number;
};

/** What a process of people is told. */
export type CrewAsk =
  | { readonly is: "begin"; readonly venue: Venue; readonly people: readonly Asked[] }
  /** Somebody may sign in. */
  | { readonly is: "turn"; readonly number: number }
  | { readonly is: "finish" };

/** What it tells. */
export type CrewTold =
  | { readonly is: "wantsTurn"; readonly number: number }
  /** `waitMs`: the venue said to wait so long before the next. */
  | { readonly is: "turnOver"; readonly number: number; readonly waitMs: number }
  /** Once a second: what was added since. */
  | { readonly is: "tally"; readonly tally: Tally; readonly present: Present; readonly effort: Effort }
  | { readonly is: "problem"; readonly sentence: string }
  /** Everybody has gone home. */
  | { readonly is: "done" };
