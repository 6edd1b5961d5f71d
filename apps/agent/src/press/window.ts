import type { PressAnswer } from "@longarm/contract/data-channel";
import type * as z from "zod/mini";

export type PressReply = z.infer<typeof PressAnswer>;

/** What is known of a press: undefined means that the machine was silent, so nobody can say. */
export type PressResult = Promise<PressReply | undefined>;

/** Answers kept for repeats. A page has one press under way and gives up after half a second. */
const ANSWERS_KEPT_MAX = 64;

/** The numbers of one epoch's presses. A number is used once, whatever became of it. */
export interface SeqWindow {
  /** The highest number used. */
  last(): number;
  /** The answer to a number used before, when it is still kept. */
  answerTo(seq: number): PressResult | undefined;
  use(seq: number, answer: PressResult): void;
}

export function createSeqWindow(): SeqWindow {
  let last = 0;
  const answers = new Map<number, PressResult>();
  return {
    last: () => last,
    answerTo: (seq) => answers.get(seq),
    use: (seq, answer) => {
      last = Math.max(last, seq);
      answers.set(seq, answer);
      for (const oldest of answers.keys()) {
        if (answers.size <= ANSWERS_KEPT_MAX) return;
        answers.delete(oldest);
      }
    },
  };
}
