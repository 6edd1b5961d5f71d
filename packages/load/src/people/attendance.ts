import type { InitAnswer } from "@longarm/contract/game-socket";
import type { SignedIn } from "../account.ts";
import { addSeen } from "../figures.ts";
import type { Receiver } from "../receiver/receiver.ts";
import { Visit } from "../visit.ts";
import type { Surroundings } from "./person.ts";
import { countError } from "./person.ts";
import { addMedia, count, time } from "./tally.ts";

/** How a visit began. */
export type Begun =
  | { readonly is: "here"; readonly answer: InitAnswer }
  /** `label`: the problem's name, else its code. */
  | { readonly is: "refused"; readonly label: string }
  | { readonly is: "late" };

/** Whoever is granted a seat or a place waits so long for a picture at most, ms. */
const PICTURE_MS = 10_000;
/** And so long for the seat, ms. */
const SEAT_MS = 20_000;

export type Goal = {
  readonly me: SignedIn;
  readonly machineId: string;
  readonly url?: string | null | undefined;
  readonly role: "player" | "spectator";
  readonly random: () => number;
};

/** Somebody's visit at a machine, with everything that is measured of it. */
export class Attendance {
  readonly visit: Visit;
  readonly role: Goal["role"];
  readonly #around: Surroundings;
  readonly #from: number;
  readonly #begun = Promise.withResolvers<Begun>();
  #hereAtMs: number | undefined;
  #hasPicture = false;
  #droppedAtMs: number | undefined;
  #over = false;
  #counted: { readonly receiver: Receiver; readonly counts: ReturnType<Receiver["counts"]> } | undefined;

  constructor(around: Surroundings, goal: Goal) {
    this.#around = around;
    this.#from = around.now();
    const { me, machineId, url, role, random } = goal;
    this.role = role;
    this.visit = new Visit(
      { venue: around.venue, token: me.token, machineId, url, role },
      {
        ...{ timers: around.timers, now: around.now, random },
        seated: (answer) => this.#seated(answer, role),
        refused: (refusal) => {
          this.#over = true;
          const label = refusal.name ?? `code ${refusal.code}`;
          count(around.tally(), `refused: ${label}`);
          this.#begun.resolve({ is: "refused", label });
        },
        closed: (reason) => {
          this.#over = true;
          count(around.tally(), `ended by the venue: ${reason}`);
          this.#begun.resolve({ is: "refused", label: reason });
        },
        dropped: (onPurpose) => {
          this.#droppedAtMs = around.now();
          count(around.tally(), onPurpose ? "networks lost on purpose" : "drops");
        },
        unopened: (error) => countError(around.tally(), "game socket", error),
        renewed: () => count(around.tally(), "picture connections renewed"),
        picture: ({ atMs }) => this.#picture(atMs),
        roundTrip: (ms) => time(around.tally(), "round trip", ms),
      },
    );
    around.present.add(this);
    around.timers.after(SEAT_MS, () => this.#begun.resolve({ is: "late" }));
  }

  begun(): Promise<Begun> {
    return this.#begun.promise;
  }

  /** The venue ended it, or never began it. */
  get over(): boolean {
    return this.#over;
  }

  /** When the seat was given first, ms. */
  get hereAtMs(): number | undefined {
    return this.#hereAtMs;
  }

  /** Pictures come now. */
  get sees(): boolean {
    return this.#around.now() - (this.visit.video.lastAtMs ?? Number.NEGATIVE_INFINITY) < 2_000;
  }

  /** Moves what was measured since the last time into the tally. */
  tell(final = false): void {
    const tally = this.#around.tally();
    addSeen(tally.seen, this.visit.video.takeSeen(final));
    const receiver = this.visit.video.receiver;
    if (receiver === undefined) return;
    const counts = structuredClone(receiver.counts());
    addMedia(tally, counts, this.#counted?.receiver === receiver ? this.#counted.counts : undefined);
    this.#counted = { receiver, counts };
  }

  async end(): Promise<void> {
    if (!this.#around.present.delete(this)) return;
    const here = this.#hereAtMs;
    // A gap at the end of a session that the venue ended is the end, not a gap.
    this.tell(!this.#over);
    if (here !== undefined && !this.#hasPicture && this.#around.now() - here > PICTURE_MS)
      count(this.#around.tally(), "visits without a picture");
    await this.visit.end();
  }

  #seated(answer: InitAnswer, role: Goal["role"]): void {
    const nowMs = this.#around.now();
    const tally = this.#around.tally();
    if (this.#hereAtMs === undefined) {
      this.#hereAtMs = nowMs;
      time(tally, role === "player" ? "seat" : "place to watch", nowMs - this.#from);
      count(tally, role === "player" ? "seats taken" : "places to watch taken");
    }
    if (this.#droppedAtMs !== undefined) time(tally, "back after a drop", nowMs - this.#droppedAtMs);
    this.#droppedAtMs = undefined;
    this.#begun.resolve({ is: "here", answer });
  }

  #picture(atMs: number): void {
    if (this.#hasPicture) return;
    this.#hasPicture = true;
    time(this.#around.tally(), "first picture", atMs - this.#from);
  }
}
